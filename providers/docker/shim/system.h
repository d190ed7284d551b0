/* The kernel, without a C library: the program runs in any Linux image, also in one that holds nothing else. */
#ifndef ERRAND_SYSTEM_H
#define ERRAND_SYSTEM_H

#include <asm/unistd.h>

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long u64;
typedef long i64;

enum { EINTR_ = 4, ENOENT_ = 2, EAGAIN_ = 11, EACCES_ = 13, EEXIST_ = 17, ENOTDIR_ = 20, ENOSPC_ = 28, ENOTEMPTY_ = 39, ECHILD_ = 10, EDQUOT_ = 122 };
enum { RDONLY = 0, WRONLY = 1, RDWR = 2, CREAT = 0100, TRUNC = 01000, APPEND = 02000, NONBLOCK = 04000, CLOEXEC = 02000000 };
#if defined(__aarch64__)
enum { DIRECTORY = 040000 };
#else
enum { DIRECTORY = 0200000 };
#endif
enum { HERE = -100 };
enum { TERM = 15, KILL = 9, CHLD = 17, USR1 = 10, USR2 = 12 };
enum { IN = 1, OUT = 4, ERR = 8, HUP = 16 };

struct pollfd { int fd; short events; short revents; };
struct timespec { i64 s; i64 ns; };

#if defined(__x86_64__)
static inline i64 call(i64 n, i64 a, i64 b, i64 c, i64 d, i64 e, i64 f) {
  i64 r;
  register i64 r10 __asm__("r10") = d;
  register i64 r8 __asm__("r8") = e;
  register i64 r9 __asm__("r9") = f;
  __asm__ volatile("syscall" : "=a"(r) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9) : "rcx", "r11", "memory");
  return r;
}
#elif defined(__aarch64__)
static inline i64 call(i64 n, i64 a, i64 b, i64 c, i64 d, i64 e, i64 f) {
  register i64 x8 __asm__("x8") = n;
  register i64 x0 __asm__("x0") = a;
  register i64 x1 __asm__("x1") = b;
  register i64 x2 __asm__("x2") = c;
  register i64 x3 __asm__("x3") = d;
  register i64 x4 __asm__("x4") = e;
  register i64 x5 __asm__("x5") = f;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5) : "memory");
  return x0;
}
#else
#error "no such machine"
#endif

#define P(x) ((i64)(x))
static inline i64 sys_read(int fd, void *p, u64 n) { return call(__NR_read, fd, P(p), (i64)n, 0, 0, 0); }
static inline i64 sys_pread(int fd, void *p, u64 n, u64 at) { return call(__NR_pread64, fd, P(p), (i64)n, (i64)at, 0, 0); }
static inline i64 sys_write(int fd, const void *p, u64 n) { return call(__NR_write, fd, P(p), (i64)n, 0, 0, 0); }
static inline int sys_open(const char *path, int flags, int mode) { return (int)call(__NR_openat, HERE, P(path), flags | CLOEXEC, mode, 0, 0); }
static inline int sys_close(int fd) { return (int)call(__NR_close, fd, 0, 0, 0, 0, 0); }
static inline int sys_mkdir(const char *path, int mode) { return (int)call(__NR_mkdirat, HERE, P(path), mode, 0, 0, 0); }
static inline int sys_rename(const char *a, const char *b) { return (int)call(__NR_renameat2, HERE, P(a), HERE, P(b), 0, 0); }
static inline int sys_unlink(const char *path) { return (int)call(__NR_unlinkat, HERE, P(path), 0, 0, 0, 0); }
static inline int sys_rmdir(const char *path) { return (int)call(__NR_unlinkat, HERE, P(path), 0x200, 0, 0, 0); }
static inline int sys_pipe(int *two, int flags) { return (int)call(__NR_pipe2, P(two), flags, 0, 0, 0, 0); }
static inline int sys_dup(int from, int to) { return (int)call(__NR_dup3, from, to, 0, 0, 0, 0); }
static inline int sys_fork(void) { return (int)call(__NR_clone, CHLD, 0, 0, 0, 0, 0); }
static inline int sys_wait(int pid, int *status, int flags) { return (int)call(__NR_wait4, pid, P(status), flags, 0, 0, 0); }
static inline int sys_kill(int pid, int sig) { return (int)call(__NR_kill, pid, sig, 0, 0, 0, 0); }
static inline int sys_getpid(void) { return (int)call(__NR_getpid, 0, 0, 0, 0, 0, 0); }
static inline int sys_setsid(void) { return (int)call(__NR_setsid, 0, 0, 0, 0, 0, 0); }
static inline int sys_chdir(const char *path) { return (int)call(__NR_chdir, P(path), 0, 0, 0, 0, 0); }
static inline int sys_exec(const char *path, char **argv, char **env) { return (int)call(__NR_execve, P(path), P(argv), P(env), 0, 0, 0); }
static inline int sys_flock(int fd, int how) { return (int)call(__NR_flock, fd, how, 0, 0, 0, 0); }
static inline i64 sys_entries(int fd, void *p, u64 n) { return call(__NR_getdents64, fd, P(p), (i64)n, 0, 0, 0); }
static inline int sys_poll(struct pollfd *fds, int n, const struct timespec *t) { return (int)call(__NR_ppoll, P(fds), n, P(t), 0, 8, 0); }
static inline int sys_fcntl(int fd, int what, i64 value) { return (int)call(__NR_fcntl, fd, what, value, 0, 0, 0); }
static inline int sys_prctl(int what, i64 value) { return (int)call(__NR_prctl, what, value, 0, 0, 0, 0); }
static inline int sys_inotify(void) { return (int)call(__NR_inotify_init1, NONBLOCK | CLOEXEC, 0, 0, 0, 0, 0); }
static inline int sys_watch(int fd, const char *path, u32 mask) { return (int)call(__NR_inotify_add_watch, fd, P(path), mask, 0, 0, 0); }
static inline int sys_unwatch(int fd, int watch) { return (int)call(__NR_inotify_rm_watch, fd, watch, 0, 0, 0, 0); }
static inline void sys_umask(int mask) { call(__NR_umask, mask, 0, 0, 0, 0, 0); }
static inline void *sys_map(u64 n) { return (void *)call(__NR_mmap, 0, (i64)n, 3, 0x22, -1, 0); }
static inline void sys_unmap(void *p, u64 n) { call(__NR_munmap, P(p), (i64)n, 0, 0, 0, 0); }
static inline void sys_exit(int code) { for (;;) call(__NR_exit_group, code, 0, 0, 0, 0, 0); }
static inline void sys_close_from(int first) {
  if (call(__NR_close_range, first, 0x7fffffff, 0, 0, 0, 0) < 0)
    for (int fd = first; fd < 1024; fd++) sys_close(fd);
}

/* `how`: 0 block, 1 unblock. */
static inline void sys_mask(int how, u64 signals) { call(__NR_rt_sigprocmask, how, P(&signals), 0, 8, 0, 0); }
static inline int sys_signals(u64 signals) { return (int)call(__NR_signalfd4, -1, P(&signals), 8, NONBLOCK | CLOEXEC, 0, 0); }
static inline u64 bit(int signal) { return 1UL << (signal - 1); }

static inline u64 now_ms(void) {
  struct timespec t = {0, 0};
  call(__NR_clock_gettime, 0, P(&t), 0, 0, 0, 0);
  return (u64)t.s * 1000 + (u64)t.ns / 1000000;
}
static inline void pause_ms(u64 ms) {
  struct timespec t = {(i64)(ms / 1000), (i64)(ms % 1000) * 1000000};
  sys_poll(0, 0, &t);
}
#endif
