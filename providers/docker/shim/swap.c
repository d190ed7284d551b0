/*
 * Files come into a standing container's workspace beside the old ones, out of sight, and take their place when all of
 * them are there. What a crash leaves half-done is cleared away before the next job sees it.
 */
#include "job.h"

#if defined(__aarch64__)
enum { NOFOLLOW = 0100000 };
#else
enum { NOFOLLOW = 0400000 };
#endif
enum { REMOVE_DIRECTORY = 0x200 };

struct entry {
  u64 inode;
  i64 offset;
  unsigned short size;
  u8 type;
  char name[];
};

static int open_dir(int at, const char *name) {
  int flags = RDONLY | DIRECTORY | NOFOLLOW | CLOEXEC;
  i64 fd = call(__NR_openat, at, P(name), flags, 0, 0, 0);
  if (fd != -EACCES_) return (int)fd;
  /* A job may have closed a directory to itself. */
  call(__NR_fchmodat, at, P(name), 0700, 0, 0, 0);
  return (int)call(__NR_openat, at, P(name), flags, 0, 0, 0);
}

static int is_dots(const char *name) { return same(name, ".") || same(name, ".."); }

/* 1 when it is gone. */
static int remove_tree(int at, const char *name) {
  if (call(__NR_unlinkat, at, P(name), 0, 0, 0, 0) >= 0) return 1;
  int fd = open_dir(at, name);
  if (fd < 0) return 0;
  call(__NR_fchmod, fd, 0700, 0, 0, 0, 0);
  /* From the beginning again after each round: a directory that changes is not read reliably. */
  for (int more = 1; more;) {
    u8 buffer[2048];
    more = 0;
    call(__NR_lseek, fd, 0, 0, 0, 0, 0);
    for (i64 n; (n = sys_entries(fd, buffer, sizeof buffer)) > 0;)
      for (i64 i = 0; i < n;) {
        struct entry *e = (struct entry *)(buffer + i);
        i += e->size;
        if (is_dots(e->name)) continue;
        more += remove_tree(fd, e->name);
      }
  }
  sys_close(fd);
  return call(__NR_unlinkat, at, P(name), REMOVE_DIRECTORY, 0, 0, 0) >= 0;
}

/* All but the hidden directory. Gives a negative number at the first that cannot be moved. */
static int move_all(int from, int to) {
  for (int moved = 1; moved;) {
    u8 buffer[2048];
    moved = 0;
    call(__NR_lseek, from, 0, 0, 0, 0, 0);
    for (i64 n; (n = sys_entries(from, buffer, sizeof buffer)) > 0;)
      for (i64 i = 0; i < n;) {
        struct entry *e = (struct entry *)(buffer + i);
        i += e->size;
        if (is_dots(e->name) || same(e->name, INCOMING)) continue;
        i64 failed = call(__NR_renameat2, from, P(e->name), to, P(e->name), 0, 0);
        if (failed == -EACCES_) {
          /* A directory that nobody may write to cannot be moved either. */
          call(__NR_fchmodat, from, P(e->name), 0700, 0, 0, 0);
          failed = call(__NR_renameat2, from, P(e->name), to, P(e->name), 0, 0);
        }
        if (failed < 0) return (int)failed;
        moved = 1;
      }
  }
  return 0;
}

void clear_incoming(const char *workdir) {
  int work = open_dir(HERE, workdir);
  if (work < 0) return;
  if (call(__NR_faccessat, work, P(INCOMING), 0, 0, 0, 0) >= 0) remove_tree(work, INCOMING);
  sys_close(work);
}

int swap_files(const char *workdir, const char *tag) {
  int work = open_dir(HERE, workdir), hidden = open_dir(work, INCOMING), fresh = open_dir(hidden, tag);
  if (work < 0 || hidden < 0 || fresh < 0) return -1;
  call(__NR_mkdirat, hidden, P("old"), 0700, 0, 0, 0);
  int old = open_dir(hidden, "old");
  if (old < 0) return -1;
  if (move_all(work, old) < 0) {
    move_all(old, work);
    return -1;
  }
  if (move_all(fresh, work) < 0) return -1;
  remove_tree(work, INCOMING);
  return 0;
}
