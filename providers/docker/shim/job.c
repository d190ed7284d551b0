/* One supervisor per job: starts it, brings its output into files, ends what it leaves, and records how it ended. */
#include "job.h"

struct running {
  int pid;
  int ended;
  int status;
  int pipes[2];
  int files[2];
  u64 deadline;
  u64 forced;
  int timed_out;
  int told;
};

void job_path(char *to, const char *name, const char *part) {
  to = put(put(to, JOBS), name);
  if (*part) put(put(to, "/"), part);
}

int name_is_good(const char *name) {
  u64 n = length(name);
  if (n == 0 || n > LONGEST_NAME || name[0] == '.') return 0;
  for (const char *c = name; *c; c++)
    if (*c == '/') return 0;
  return 1;
}

int supervisor_of(const char *name) {
  char path[LONGEST_NAME + 64], text[32];
  job_path(path, name, "lock");
  int fd = sys_open(path, RDONLY, 0);
  if (fd < 0) return 0;
  int held = sys_flock(fd, 1 | 4) == -EAGAIN_;
  sys_close(fd);
  if (!held || read_file(path, text, sizeof text) <= 0) return 0;
  const char *at = text;
  return (int)number_at(&at);
}

/* The first line of `about` is the job's key, which each of its processes has in its environment unless it took it away. */
void end_orphans(const char *name) {
  char path[LONGEST_NAME + 64];
  static char mark[4096];
  char *key = put(mark, "ERRAND_JOB=");
  job_path(path, name, "about");
  if (read_file(path, key, sizeof mark - 16) <= 0) return;
  while (*key && *key != '\n') key++;
  *key = 0;
  for (int round = 0; round < 50 && signal_marked(mark, KILL) > 0; round++) pause_ms(10);
}

static void remove_dir(const char *dir) {
  static const char *const parts[] = {"/about", "/lock", "/out", "/err", "/exit"};
  char path[LONGEST_NAME + 64];
  for (int i = 0; i < 5; i++) put(put(path, dir), parts[i]), sys_unlink(path);
  sys_rmdir(dir);
}

static int new_dir(char *to) {
  put_number(put(put_number(put(to, JOBS ".new-"), (u64)sys_getpid()), "-"), now_ms());
  return sys_mkdir(to, 0700);
}

int bury_job(const char *name) {
  char dir[64], path[LONGEST_NAME + 64], tmp[80], text[80];
  int bad = new_dir(dir);
  if (bad) return bad;
  char *at = put(text, "0 15");
  for (int i = 0; i < 2; i++) at = put_number(put(at, " "), now_ms());
  put(at, " 0 0 1");
  put(put(tmp, dir), "/about");
  replace_file(tmp, tmp, "");
  put(put(tmp, dir), "/exit");
  bad = replace_file(tmp, tmp, text);
  job_path(path, name, "");
  if (!bad) bad = sys_rename(dir, path);
  if (bad) remove_dir(dir);
  return bad;
}

/* 0 when the directory is ours now. */
static int claim(struct order *order, struct running *job) {
  char dir[64], path[LONGEST_NAME + 64], pid[24];
  int made = new_dir(dir);
  if (made < 0) return made;
  put(put(path, dir), "/about");
  int about = sys_open(path, WRONLY | CREAT, 0600);
  put(put(path, dir), "/lock");
  int lock = sys_open(path, RDWR | CREAT, 0600);
  put(put(path, dir), "/out");
  job->files[0] = sys_open(path, WRONLY | CREAT | APPEND, 0600);
  put(put(path, dir), "/err");
  job->files[1] = sys_open(path, WRONLY | CREAT | APPEND, 0600);
  put_number(pid, (u64)sys_getpid());
  int bad = about < 0 ? about : lock < 0 ? lock : job->files[0] < 0 ? job->files[0] : job->files[1] < 0 ? job->files[1] : 0;
  if (!bad) bad = write_all(about, order->about, length(order->about));
  if (!bad) bad = write_all(lock, pid, length(pid));
  if (!bad) bad = sys_flock(lock, 2);
  sys_close(about);
  job_path(path, order->name, "");
  if (!bad) bad = sys_rename(dir, path);
  if (bad) remove_dir(dir);
  return bad;
}

static const char *variable(char **env, const char *name) {
  for (; *env; env++)
    if (begins(*env, name)) return *env + length(name);
  return 0;
}

/* Only comes back when it failed: with the error that says most. */
static int exec_searching(char **argv, char **env) {
  const char *program = argv[0];
  for (const char *c = program; *c; c++)
    if (*c == '/') return sys_exec(program, argv, env);
  if (!*program) return -ENOENT_;
  const char *path = variable(env, "PATH=");
  if (!path) path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";
  static char full[8192];
  int worst = -ENOENT_;
  while (1) {
    u64 n = 0;
    while (path[n] && path[n] != ':') n++;
    if (n + length(program) + 2 < sizeof full) {
      memcpy(full, path, n);
      char *end = full + n;
      *end = 0;
      if (n) end = put(end, "/");
      put(end, program);
      int error = sys_exec(full, argv, env);
      if (error != -ENOENT_ && error != -ENOTDIR_) worst = error;
    }
    if (!path[n]) return worst;
    path += n + 1;
  }
}

static void become(struct order *order, int out, int err, int tell) {
  sys_mask(1, ~0UL);
  sys_setsid();
  sys_dup(out, 1);
  sys_dup(err, 2);
  int failed = sys_chdir(order->cwd), where = 1;
  if (failed >= 0) where = 0, failed = exec_searching(order->argv, order->env);
  int words[2] = {failed, where};
  write_all(tell, words, sizeof words);
  sys_exit(127);
}

static const char *reason(int error) {
  switch (-error) {
    case ENOENT_: return "not found";
    case EACCES_: return "permission denied";
    case ENOTDIR_: return "not a directory";
    case 7: return "the arguments and variables are too long";
    case 8: return "not a program that this machine can execute";
    case 26: return "it is being written to";
    default: return "cannot be executed";
  }
}

/* What could not be executed says so where a shell would. */
static int last_words(struct order *order, struct running *job, const int *words) {
  static char line[8192 + 256];
  const char *what = words[1] ? order->cwd : order->argv[0];
  if (length(what) > 8192) what = "the program";
  put(put(put(put(put(line, "errand: "), what), ": "), reason(words[0])), "\n");
  write_all(job->files[1], line, length(line));
  return words[1] || words[0] != -ENOENT_ ? 126 : 127;
}

/* 0 when there is nothing more now. */
static int move(struct running *job, int which) {
  static u8 buffer[65536];
  if (job->pipes[which] < 0) return 0;
  i64 n = sys_read(job->pipes[which], buffer, sizeof buffer);
  if (n == -EAGAIN_ || n == -EINTR_) return 0;
  if (n <= 0) {
    sys_close(job->pipes[which]);
    job->pipes[which] = -1;
    return 0;
  }
  const u8 *at = buffer;
  while (n > 0) {
    i64 wrote = sys_write(job->files[which], at, (u64)n);
    /* A full disk holds the job up; nothing that it wrote is lost. */
    if (wrote < 0) pause_ms(100);
    else at += wrote, n -= wrote;
  }
  return 1;
}

static int reap(struct running *job) {
  for (;;) {
    int status = 0, pid = sys_wait(-1, &status, 1 | 0x40000000);
    if (pid == -ECHILD_) return 0;
    if (pid <= 0) return 1;
    if (pid == job->pid) job->ended = 1, job->status = status;
  }
}

static void record(struct order *order, struct running *job, u64 started, u64 oom, int code) {
  char path[LONGEST_NAME + 64], tmp[LONGEST_NAME + 64], text[200];
  int signal = code >= 0 ? 0 : job->status & 127;
  char *at = put_number(text, (u64)(code >= 0 ? code : signal ? 0 : (job->status >> 8) & 255));
  u64 rest[] = {(u64)signal, started, now_ms(), oom, (u64)job->timed_out, (u64)job->told};
  for (int i = 0; i < 6; i++) at = put_number(put(at, " "), rest[i]);
  job_path(path, order->name, "exit");
  job_path(tmp, order->name, "exit.new");
  replace_file(path, tmp, text);
}

/* When the next thing is due, in milliseconds; negative: never. */
static i64 due(struct running *job) {
  u64 next = job->forced ? job->forced : job->deadline, now = now_ms();
  if (job->ended) return 5;
  if (!next) return -1;
  return next > now ? (i64)(next - now) : 0;
}

static void follow_clock(struct order *order, struct running *job) {
  if (job->ended || due(job) != 0) return;
  if (job->forced) {
    signal_descendants(KILL);
    job->forced = now_ms() + 100;
  } else {
    job->timed_out = 1;
    signal_descendants(TERM);
    job->forced = now_ms() + order->grace;
  }
}

static void heed(int signals, struct running *job) {
  u32 info[32];
  while (sys_read(signals, info, sizeof info) == (i64)sizeof info) {
    if (info[0] == CHLD || job->ended) continue;
    int force = info[0] == USR2;
    if (job->told < 1 + force) job->told = 1 + force;
    signal_descendants(force ? KILL : TERM);
  }
}

static void watch(struct order *order, struct running *job, int signals) {
  for (int alive = 1; alive;) {
    struct pollfd fds[3] = {{signals, IN, 0}, {job->pipes[0], IN, 0}, {job->pipes[1], IN, 0}};
    i64 ms = due(job);
    struct timespec t = {ms / 1000, (ms % 1000) * 1000000};
    sys_poll(fds, 3, ms < 0 ? 0 : &t);
    heed(signals, job);
    move(job, 0), move(job, 1);
    alive = reap(job);
    /* A container's end is the end of everything in it; so is a job's. */
    if (alive && job->ended) signal_descendants(KILL);
    follow_clock(order, job);
  }
  while (move(job, 0)) {}
  while (move(job, 1)) {}
}

static void supervise(struct order *order, int tell) {
  static struct running job;
  u8 answer = FAILED;
  sys_setsid();
  sys_prctl(36, 1);
  u64 wanted = bit(CHLD) | bit(USR1) | bit(USR2);
  int signals = sys_signals(wanted), claimed = claim(order, &job);
  if (claimed < 0) {
    if (claimed == -EEXIST_ || claimed == -ENOTEMPTY_) answer = EXISTED;
    write_all(tell, &answer, 1);
    sys_exit(0);
  }
  clear_incoming(order->cwd);
  int out[2], err[2], words[2] = {0, 0}, trouble[2];
  u64 before = oom_kills(), started = now_ms();
  sys_pipe(out, CLOEXEC), sys_pipe(err, CLOEXEC), sys_pipe(trouble, CLOEXEC);
  job.pipes[0] = out[0], job.pipes[1] = err[0];
  if (order->timeout) job.deadline = started + order->timeout;
  job.pid = sys_fork();
  if (job.pid == 0) become(order, out[1], err[1], trouble[1]);
  sys_close(out[1]), sys_close(err[1]), sys_close(trouble[1]);
  int failed = job.pid < 0;
  if (failed) words[0] = job.pid;
  else
    for (u64 have = 0; have < sizeof words;) {
      i64 n = sys_read(trouble[0], (u8 *)words + have, sizeof words - have);
      if (n == -EINTR_) continue;
      if (n <= 0) break;
      have += (u64)n, failed = 1;
    }
  answer = STARTED;
  int code = failed ? last_words(order, &job, words) : -1;
  write_all(tell, &answer, 1);
  sys_close(tell);
  sys_fcntl(out[0], 4, NONBLOCK), sys_fcntl(err[0], 4, NONBLOCK);
  watch(order, &job, signals);
  record(order, &job, started, oom_kills() - before, code);
  sys_exit(0);
}

int start_job(struct order *order) {
  int tell[2];
  if (sys_pipe(tell, CLOEXEC) < 0) return FAILED;
  int pid = sys_fork();
  if (pid == 0) {
    /* Nothing of the one who asked may stay open here: it could never end. */
    int end = tell[1] == 3 ? 3 : sys_dup(tell[1], 3), nothing = sys_open("/dev/null", RDWR, 0);
    for (int fd = 0; fd < 3; fd++) sys_dup(nothing, fd);
    sys_close_from(4);
    sys_fcntl(end, 2, 1);
    supervise(order, end);
  }
  sys_close(tell[1]);
  u8 answer = FAILED;
  if (pid > 0)
    while (sys_read(tell[0], &answer, 1) == -EINTR_) {}
  sys_close(tell[0]);
  return answer;
}
