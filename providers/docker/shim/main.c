/*
 * shim keep   process 1 of a standing container: listens to all who are attached, reaps, and gives the container up at
 *             the time that /.errand/state/expires tells, whoever else is dead by then
 * shim talk   the same for one client, until its stdin ends
 * shim swap DIRECTORY TAG EPOCH
 *             makes the files that came in under TAG the workspace; says done, fenced or failed
 */
#include "wire.h"

char **own_env;
u32 largest;
int shared;
int full;

enum { SMALL = 4096, LARGE = 65536, LONGEST = 16 << 20 };
static u8 *input;
static u64 have, room;

u32 sum_of(u32 sum, const void *bytes, u64 n) {
  const u8 *at = bytes;
  for (; n; n--) sum = (sum ^ *at++) * 16777619u;
  return sum;
}

int say(const struct head *to, u32 type, u32 extra, const void *first, u64 n, const void *second, u64 m) {
  static u8 frame[LARGE + sizeof(struct head) + 16];
  struct head head = {SAY_MAGIC, (u32)(n + m), 0, type, to->client, to->id, extra};
  if (n + m > sizeof frame - sizeof head) return 0;
  head.sum = sum_of(sum_of(2166136261u, &head.size, 4), &head.type, sizeof head - 12);
  memcpy(frame, &head, sizeof head);
  memcpy(frame + sizeof head, first, n);
  memcpy(frame + sizeof head + n, second, m);
  /* Up to 4096 bytes go into a pipe whole or not at all. */
  u64 size = sizeof head + n + m;
  if (shared) {
    i64 wrote = size <= SMALL ? sys_write(1, frame, size) : 0;
    if (wrote == -EAGAIN_) full = 1;
    return wrote == (i64)size;
  }
  if (write_all(1, frame, size) < 0) sys_exit(1);
  return 1;
}

static int room_for(u64 size) {
  if (size <= room) return 1;
  u64 next = (size + 65535) & ~65535UL;
  u8 *wider = sys_map(next);
  if ((i64)wider < 0 && (i64)wider > -4096) return 0;
  memcpy(wider, input, have);
  if (input) memset(input, 0, room), sys_unmap(input, room);
  input = wider, room = next;
  return 1;
}

static void consume(u64 n) {
  memmove(input, input + n, have - n);
  memset(input + have - n, 0, n);
  have -= n;
}

/* Carries out what has come whole. */
static void take_requests(void) {
  struct head head;
  while (have >= sizeof head) {
    memcpy(&head, input, sizeof head);
    u64 most = shared ? SMALL : LONGEST, size = sizeof head + head.size;
    if (head.magic != ASK_MAGIC || size > most) {
      consume(1);
      continue;
    }
    if (!room_for(size) || have < size) return;
    if (sum_of(2166136261u, input + 12, size - 12) == head.sum) {
      handle(&head, input + sizeof head);
      consume(size);
    } else consume(1);
  }
}

static int listen(void) {
  if (!room_for(have + 65536)) return 0;
  i64 n = sys_read(0, input + have, room - have);
  if (n == -EAGAIN_ || n == -EINTR_) return 1;
  if (n <= 0) return 0;
  have += (u64)n;
  take_requests();
  return 1;
}

/* Gives how long the container may still stand; 0 when it is over. */
static i64 left(void) {
  u64 expires = read_number("/.errand/state/expires"), now = now_ms();
  if (expires <= now) return 0;
  return expires - now > 3600000 ? 3600000 : (i64)(expires - now);
}

static void heed(int signals) {
  u32 info[32];
  int status;
  while (sys_read(signals, info, sizeof info) == (i64)sizeof info)
    if (info[0] == TERM && sys_getpid() == 1) sys_exit(143);
  while (sys_wait(-1, &status, 1 | 0x40000000) > 0) {}
}

static void serve(int keep) {
  int signals = sys_signals(bit(CHLD) | bit(TERM)), open = 1;
  u64 ticked = now_ms();
  bell = sys_inotify();
  for (;;) {
    i64 wait = follow_pause(), stands = keep ? left() : -1;
    if (stands == 0) sys_exit(0);
    if (stands > 0 && (wait < 0 || stands < wait)) wait = stands;
    struct pollfd fds[4] = {{open ? 0 : -1, IN, 0}, {signals, IN, 0}, {bell, IN, 0}, {full ? 1 : -1, OUT, 0}};
    full = 0;
    struct timespec t = {wait / 1000, (wait % 1000) * 1000000};
    sys_poll(fds, 4, wait < 0 ? 0 : &t);
    if (fds[1].revents) heed(signals);
    if (fds[2].revents) {
      static u8 rung[4096];
      while (sys_read(bell, rung, sizeof rung) > 0) {}
    }
    if (fds[0].revents && !listen()) {
      if (!keep) sys_exit(0);
      open = 0;
    }
    u64 now = now_ms();
    int tick = now - ticked >= 1000 || now < ticked;
    if (tick) ticked = now;
    tell_all(tick);
  }
}

static void swap(char **words) {
  const char *epoch = words[2];
  const char *said = number_at(&epoch) < read_number("/.errand/state/fence") ? "fenced" : swap_files(words[0], words[1]) < 0 ? "failed" : "done";
  write_all(1, said, length(said));
  sys_exit(0);
}

__attribute__((used)) void begin(i64 *stack) {
  i64 argc = stack[0];
  char **argv = (char **)(stack + 1);
  own_env = argv + argc + 1;
  if (argc == 5 && same(argv[1], "swap")) swap(argv + 2);
  int keep = argc > 1 && same(argv[1], "keep");
  if (!keep && !(argc > 1 && same(argv[1], "talk"))) sys_exit(64);
  /* What comes in may be secret, and a job of the same user must not read it here. */
  sys_prctl(4, 0);
  sys_umask(022);
  sys_mask(0, ~0UL);
  shared = keep;
  largest = keep ? SMALL - sizeof(struct head) : LARGE;
  if (keep) sys_fcntl(1, 4, NONBLOCK | WRONLY);
  serve(keep);
}

#if defined(__x86_64__)
__asm__(".globl _start\n_start:\n xor %rbp,%rbp\n mov %rsp,%rdi\n and $-16,%rsp\n call begin\n hlt\n");
#else
__asm__(".globl _start\n_start:\n mov x29,#0\n mov x30,#0\n mov x0,sp\n bl begin\n brk #0\n");
#endif
