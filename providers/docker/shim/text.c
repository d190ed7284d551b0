#include "text.h"

void *memcpy(void *to, const void *from, u64 n) {
  u8 *t = to;
  const u8 *f = from;
  while (n--) *t++ = *f++;
  return to;
}
void *memmove(void *to, const void *from, u64 n) {
  u8 *t = to;
  const u8 *f = from;
  if (t <= f) return memcpy(to, from, n);
  while (n--) t[n] = f[n];
  return to;
}
void *memset(void *to, int value, u64 n) {
  volatile u8 *t = to;
  while (n--) *t++ = (u8)value;
  return to;
}
u64 length(const char *text) {
  u64 n = 0;
  while (text[n]) n++;
  return n;
}
int same(const char *a, const char *b) {
  while (*a && *a == *b) a++, b++;
  return *a == *b;
}
int begins(const char *text, const char *with) {
  while (*with && *text == *with) text++, with++;
  return !*with;
}
char *put(char *to, const char *text) {
  while ((*to = *text++)) to++;
  return to;
}
char *put_number(char *to, u64 value) {
  char digits[24];
  int n = 0;
  do digits[n++] = (char)('0' + value % 10);
  while (value /= 10);
  while (n) *to++ = digits[--n];
  *to = 0;
  return to;
}
u64 number_at(const char **text) {
  u64 value = 0;
  while (**text == ' ') (*text)++;
  while (**text >= '0' && **text <= '9') value = value * 10 + (u64)(*(*text)++ - '0');
  return value;
}
i64 read_file(const char *path, char *to, u64 size) {
  int fd = sys_open(path, RDONLY, 0);
  if (fd < 0) return fd;
  u64 have = 0;
  while (have < size - 1) {
    i64 n = sys_read(fd, to + have, size - 1 - have);
    if (n == -EINTR_) continue;
    if (n <= 0) break;
    have += (u64)n;
  }
  sys_close(fd);
  to[have] = 0;
  return (i64)have;
}
int replace_file(const char *path, const char *tmp, const char *text) {
  for (;;) {
    int fd = sys_open(tmp, WRONLY | CREAT | TRUNC, 0600);
    if (fd < 0) return fd;
    int wrote = write_all(fd, text, length(text));
    sys_close(fd);
    if (wrote == 0) return sys_rename(tmp, path);
    /* A full disk holds an end up, it does not lose it. */
    if (wrote != -ENOSPC_ && wrote != -EDQUOT_) return wrote;
    pause_ms(200);
  }
}
int write_all(int fd, const void *bytes, u64 n) {
  const u8 *at = bytes;
  while (n) {
    i64 wrote = sys_write(fd, at, n);
    if (wrote == -EINTR_) continue;
    if (wrote < 0) return (int)wrote;
    at += wrote, n -= (u64)wrote;
  }
  return 0;
}
