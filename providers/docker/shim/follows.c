/* Who wants to hear of which job. Each says how far it has come, and is told no more than a window beyond that. */
#include "wire.h"

enum { MOST = 64, SILENT = 60000, TICK = 1000, NO_BELL = 15 };
#define ONLY_END (~0UL)

struct line {
  int used;
  struct head who;
  char name[LONGEST_NAME + 1];
  int files[2];
  u64 sent[2];
  u64 heard[2];
  u64 last;
  int bell;
};
static struct line lines[MOST];
int bell = -1;

static u64 window(void) { return shared ? 262144 : 1048576; }

static struct line *find(const struct head *who) {
  for (int i = 0; i < MOST; i++)
    if (lines[i].used && lines[i].who.client == who->client && lines[i].who.id == who->id) return &lines[i];
  return 0;
}

static void drop(struct line *line) {
  for (int i = 0; i < 2; i++)
    if (line->files[i] >= 0) sys_close(line->files[i]);
  int others = 0;
  for (int i = 0; i < MOST; i++) others += &lines[i] != line && lines[i].used && lines[i].bell == line->bell;
  /* The kernel gives one number for all watches of one directory. */
  if (line->bell >= 0 && !others) sys_unwatch(bell, line->bell);
  line->used = 0;
}

void forget(const struct head *from) {
  struct line *line = find(from);
  if (line) drop(line);
}

/* True when it has ended, or nobody can say any more; then `line` has heard so. */
static int tell_end(struct line *line, int tick) {
  char path[LONGEST_NAME + 64], words[160];
  job_path(path, line->name, "exit");
  i64 n = read_file(path, words, sizeof words);
  if (n <= 0) {
    if (!tick || supervisor_of(line->name)) return 0;
    n = read_file(path, words, sizeof words);
    if (n <= 0) {
      job_path(path, line->name, "about");
      int known = read_file(path, words, sizeof words) >= 0;
      if (known) end_orphans(line->name);
      return say(&line->who, END, 0, known ? "lost" : "unknown", known ? 4 : 7, 0, 0);
    }
  }
  return say(&line->who, END, 0, words, (u64)n, 0, 0);
}

/* 1: something was sent; 0: nothing is new; -1: the line is full, or far enough ahead. */
static int tell_data(struct line *line, int which) {
  static u8 bytes[65536];
  if (line->sent[which] == ONLY_END) return 0;
  if (line->files[which] < 0) {
    char path[LONGEST_NAME + 64];
    job_path(path, line->name, which ? "err" : "out");
    line->files[which] = sys_open(path, RDONLY, 0);
  }
  if (line->files[which] < 0) return 0;
  u64 room = line->heard[which] + window() - line->sent[which], most = largest - 8;
  if (room > window()) room = 0;
  i64 n = sys_pread(line->files[which], bytes, room < most ? (room ? room : 1) : most, line->sent[which]);
  if (n <= 0) return 0;
  if (!room || !say(&line->who, DATA, (u32)which + 1, &line->sent[which], 8, bytes, (u64)n)) return -1;
  line->sent[which] += (u64)n;
  return 1;
}

static void tell(struct line *line, int tick) {
  for (int round = 0; round < 64; round++) {
    int out = tell_data(line, 0), err = tell_data(line, 1);
    if (out < 0 || err < 0) return;
    if (out || err) continue;
    /* What was written before the end is in the files when the end is: so those are looked at once more. */
    char path[LONGEST_NAME + 64], word[2];
    job_path(path, line->name, "exit");
    int ended = read_file(path, word, sizeof word) > 0;
    if (ended && (tell_data(line, 0) || tell_data(line, 1))) continue;
    if ((ended || tick) && tell_end(line, tick)) drop(line);
    return;
  }
}

void follow(const struct head *from, const char *name, u64 out, u64 err) {
  struct line *line = find(from);
  int fresh = !line;
  for (int i = 0; i < MOST && !line; i++)
    if (!lines[i].used) line = &lines[i];
  if (!line) {
    say(from, ANSWER, FAILED, 0, 0, 0, 0);
    return;
  }
  if (fresh) {
    char path[LONGEST_NAME + 64];
    line->used = 1, line->who = *from, line->files[0] = line->files[1] = -1;
    put(line->name, name);
    job_path(path, name, "");
    /* Written to, and something came by a rename. */
    line->bell = bell < 0 ? -1 : sys_watch(bell, path, 2 | 0x80);
  }
  u64 given[2] = {out, err};
  for (int i = 0; i < 2; i++) {
    /* Asked for once more: some of it was lost on the way. */
    if (fresh || from->extra) line->sent[i] = given[i];
    line->heard[i] = given[i];
    if (line->sent[i] < given[i]) line->sent[i] = given[i];
  }
  line->last = now_ms();
  tell(line, fresh || from->extra);
  if (line->used && (from->extra || fresh)) say(from, HEARD, 0, 0, 0, 0, 0);
}

void tell_all(int tick) {
  u64 now = now_ms();
  for (int i = 0; i < MOST; i++) {
    if (!lines[i].used) continue;
    if (shared && now - lines[i].last > SILENT) drop(&lines[i]);
    else tell(&lines[i], tick);
  }
}

i64 follow_pause(void) {
  i64 wait = -1;
  for (int i = 0; i < MOST; i++) {
    if (!lines[i].used) continue;
    if (lines[i].bell < 0) return NO_BELL;
    wait = TICK;
  }
  return wait;
}
