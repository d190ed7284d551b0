#ifndef ERRAND_TEXT_H
#define ERRAND_TEXT_H
#include "system.h"

void *memcpy(void *to, const void *from, u64 n);
void *memset(void *to, int value, u64 n);
void *memmove(void *to, const void *from, u64 n);
u64 length(const char *text);
int same(const char *a, const char *b);
int begins(const char *text, const char *with);
/* Both give the end of what was written, which is always a NUL. */
char *put(char *to, const char *text);
char *put_number(char *to, u64 value);
u64 number_at(const char **text);
/* The whole file, cut at `size - 1`, with a NUL behind it; negative when it cannot be read. */
i64 read_file(const char *path, char *to, u64 size);
/* Appears at once and whole, or not at all. */
int replace_file(const char *path, const char *tmp, const char *text);
int write_all(int fd, const void *bytes, u64 n);
#endif
