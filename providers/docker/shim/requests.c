#include "wire.h"

#define STATE "/.errand/state/"

struct reader {
  u8 *at;
  u8 *end;
  int bad;
};

static u64 number(struct reader *r, u64 n) {
  u64 value = 0;
  if ((u64)(r->end - r->at) < n) return r->bad = 1, 0;
  for (u64 i = 0; i < n; i++) value |= (u64)r->at[i] << (8 * i);
  r->at += n;
  return value;
}

static char *text(struct reader *r) {
  u8 *from = r->at;
  while (r->at < r->end && *r->at) r->at++;
  if (r->at == r->end) return r->bad = 1, "";
  r->at++;
  return (char *)from;
}

u64 read_number(const char *path) {
  char words[32];
  const char *at = words;
  return read_file(path, words, sizeof words) > 0 ? number_at(&at) : 0;
}

/* Only ever rises. */
static void raise(const char *path, const char *tmp, u64 value) {
  char words[32];
  if (value <= read_number(path)) return;
  put_number(words, value);
  replace_file(path, tmp, words);
}

static int is_old(u64 epoch) { return epoch < read_number(STATE "fence"); }

static void answer(const struct head *to, u32 code, const char *about) {
  say(to, ANSWER, code, about, length(about), 0, 0);
}

static int names_same(const char *a, const char *b) {
  while (*a && *a != '=' && *a == *b) a++, b++;
  return (*a == '=' || !*a) && (*b == '=' || !*b);
}

static void start(const struct head *head, struct reader *r) {
  static char about[65536];
  struct order order = {.name = text(r), .cwd = text(r), .about = text(r)};
  u64 epoch = number(r, 8);
  order.timeout = number(r, 8), order.grace = number(r, 8);
  u64 argc = number(r, 4), envc = number(r, 4), own = 0, many = 0;
  while (own_env[own]) own++;
  if (r->bad || argc == 0 || argc > head->size || envc > head->size || !name_is_good(order.name)) return answer(head, FAILED, "");
  if (is_old(epoch)) return answer(head, FENCED, "");
  u64 size = (argc + envc + own + 2) * sizeof(char *);
  char **words = sys_map(size);
  if ((i64)words < 0 && (i64)words > -4096) return answer(head, FAILED, "");
  order.argv = words;
  for (u64 i = 0; i < argc; i++) words[i] = text(r);
  words[argc] = 0;
  order.env = words + argc + 1;
  for (; many < envc; many++) order.env[many] = text(r);
  for (u64 i = 0; i < own; i++) {
    u64 given = 0;
    while (given < envc && !names_same(order.env[given], own_env[i])) given++;
    if (given == envc) order.env[many++] = own_env[i];
  }
  order.env[many] = 0;
  raise(STATE "fence", STATE "fence.new", epoch);
  int done = r->bad ? FAILED : start_job(&order);
  about[0] = 0;
  if (done == EXISTED) {
    char path[LONGEST_NAME + 64];
    job_path(path, order.name, "about");
    read_file(path, about, sizeof about);
  }
  sys_unmap(words, size);
  answer(head, (u32)done, about);
}

static void stop(const struct head *head, struct reader *r) {
  const char *name = text(r);
  u64 force = number(r, 4), epoch = number(r, 8);
  if (r->bad || !name_is_good(name)) return answer(head, FAILED, "");
  if (is_old(epoch)) return answer(head, FENCED, "");
  /* Of a stop and a start that come together, whoever takes the name first is right. */
  if (bury_job(name) == 0) return answer(head, STARTED, "");
  int pid = supervisor_of(name);
  if (pid > 0) sys_kill(pid, force ? USR2 : USR1);
  answer(head, STARTED, "");
}

static void renew(const struct head *head, struct reader *r) {
  u64 expires = number(r, 8), epoch = number(r, 8);
  if (r->bad) return answer(head, FAILED, "");
  if (is_old(epoch)) return answer(head, FENCED, "");
  raise(STATE "fence", STATE "fence.new", epoch);
  raise(STATE "expires", STATE "expires.new", expires);
  answer(head, STARTED, "");
}

struct entry {
  u64 inode;
  i64 offset;
  unsigned short size;
  u8 type;
  char name[];
};

static void list(const struct head *head) {
  static u8 buffer[16384];
  static char about[65536];
  char path[LONGEST_NAME + 64];
  int fd = sys_open(JOBS, RDONLY | DIRECTORY, 0);
  for (i64 n; fd >= 0 && (n = sys_entries(fd, buffer, sizeof buffer)) > 0;)
    for (i64 at = 0; at < n;) {
      struct entry *e = (struct entry *)(buffer + at);
      at += e->size;
      if (!name_is_good(e->name)) continue;
      job_path(path, e->name, "about");
      i64 size = read_file(path, about, sizeof about);
      if (size > 0) say(head, LISTED, supervisor_of(e->name) > 0, about, (u64)size, 0, 0);
    }
  if (fd >= 0) sys_close(fd);
  answer(head, STARTED, "");
}

void handle(const struct head *head, u8 *payload) {
  struct reader r = {payload, payload + head->size, 0};
  if (head->type == START) start(head, &r);
  else if (head->type == STOP) stop(head, &r);
  else if (head->type == RENEW) renew(head, &r);
  else if (head->type == LIST) list(head);
  else if (head->type == FORGET) forget(head);
  else if (head->type == FOLLOW) {
    const char *name = text(&r);
    u64 out = number(&r, 8), err = number(&r, 8);
    if (r.bad || !name_is_good(name)) answer(head, FAILED, "");
    else follow(head, name, out, err);
  }
}
