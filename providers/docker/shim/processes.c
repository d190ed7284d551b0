#include "job.h"

enum { MOST = 8192 };
static int pids[MOST];
static int parents[MOST];
static u8 below[MOST];

struct entry {
  u64 inode;
  i64 offset;
  unsigned short size;
  u8 type;
  char name[];
};

static int parent_of(int pid) {
  char path[40], text[512];
  put(put_number(put(path, "/proc/"), (u64)pid), "/stat");
  if (read_file(path, text, sizeof text) <= 0) return -1;
  /* The name in front may hold anything, so the last bracket counts. */
  const char *at = 0;
  for (const char *c = text; *c; c++)
    if (*c == ')') at = c;
  if (!at || !at[1] || !at[2] || !at[3]) return -1;
  at += 4;
  return (int)number_at(&at);
}

static int all_processes(void) {
  static u8 buffer[32768];
  int fd = sys_open("/proc", RDONLY | DIRECTORY, 0), count = 0;
  if (fd < 0) return 0;
  for (i64 n; (n = sys_entries(fd, buffer, sizeof buffer)) > 0;)
    for (i64 at = 0; at < n;) {
      struct entry *e = (struct entry *)(buffer + at);
      at += e->size;
      if (e->name[0] < '1' || e->name[0] > '9' || count == MOST) continue;
      const char *digits = e->name;
      pids[count++] = (int)number_at(&digits);
    }
  sys_close(fd);
  return count;
}

int signal_descendants(int signal) {
  int count = all_processes(), self = sys_getpid(), found = 0;
  for (int i = 0; i < count; i++) parents[i] = parent_of(pids[i]), below[i] = parents[i] == self;
  for (int more = 1; more;) {
    more = 0;
    for (int i = 0; i < count; i++) {
      if (below[i]) continue;
      for (int j = 0; j < count && !below[i]; j++)
        if (below[j] && pids[j] == parents[i]) below[i] = 1, more = 1;
    }
  }
  for (int i = 0; i < count; i++)
    if (below[i]) sys_kill(pids[i], signal), found++;
  return found;
}

int signal_marked(const char *entry, int signal) {
  static char environment[1 << 20];
  int count = all_processes(), found = 0;
  for (int i = 0; i < count; i++) {
    char path[40];
    put(put_number(put(path, "/proc/"), (u64)pids[i]), "/environ");
    i64 n = pids[i] == 1 ? 0 : read_file(path, environment, sizeof environment);
    for (i64 at = 0; at < n; at += (i64)length(environment + at) + 1)
      if (same(environment + at, entry)) {
        sys_kill(pids[i], signal);
        found++;
        break;
      }
  }
  memset(environment, 0, sizeof environment);
  return found;
}

static u64 counted(const char *path) {
  char text[2048];
  if (read_file(path, text, sizeof text) <= 0) return 0;
  for (const char *line = text; *line;) {
    if (begins(line, "oom_kill ")) {
      line += 9;
      return number_at(&line);
    }
    while (*line && *line != '\n') line++;
    if (*line) line++;
  }
  return 0;
}

u64 oom_kills(void) { return counted("/sys/fs/cgroup/memory.events") + counted("/sys/fs/cgroup/memory/memory.oom_control"); }
