/*
 * What the shim is asked and what it answers, over its stdin and stdout. Numbers are little-endian.
 *
 *   request: magic, size of the payload, sum of all that follows it and of the payload, type, client (8 bytes), id, 0
 *   reply:   magic, size of the payload, sum of the rest of the header, type, client (8 bytes), id, stream
 *
 * Process 1 is asked by everybody who is attached: their requests come one after the other in one stream, in the worst
 * case torn, and everybody sees every reply. So each request stands alone, is dropped when its sum is wrong, and may be
 * sent again at any time; and replies may be lost, which whoever misses one finds out by asking again. One that was
 * executed by the engine for a single client has a line of its own and says more at once.
 */
#ifndef ERRAND_WIRE_H
#define ERRAND_WIRE_H
#include "job.h"

#define ASK_MAGIC 0x31515245u
#define SAY_MAGIC 0x31535245u

struct head {
  u32 magic;
  u32 size;
  u32 sum;
  u32 type;
  u64 client;
  u32 id;
  u32 extra;
};

enum { START = 1, FOLLOW = 2, STOP = 3, RENEW = 4, LIST = 5, FORGET = 6 };
enum { ANSWER = 1, DATA = 2, END = 3, LISTED = 4, HEARD = 5 };

/* The environment that the container itself has. */
extern char **own_env;
/* Largest payload of a reply; whether the line is shared with others. */
extern u32 largest;
extern int shared;
/* A reply on a shared line had no room. */
extern int full;

u32 sum_of(u32 sum, const void *bytes, u64 n);
/* 0 when it could not be sent now. On a line of one's own it always is, or the line is dead. */
int say(const struct head *to, u32 type, u32 extra, const void *first, u64 n, const void *second, u64 m);

/* requests.c: once for each good request. The payload is wiped afterwards, for it may hold secrets. */
void handle(const struct head *head, u8 *payload);
u64 read_number(const char *path);

/* follows.c */
void follow(const struct head *from, const char *name, u64 out, u64 err);
void forget(const struct head *from);
/* Gives everybody what is new. `tick`: also look at what nobody tells, such as a supervisor that was killed. */
void tell_all(int tick);
/* How long nothing needs to be done, in milliseconds, when nothing happens. */
i64 follow_pause(void);
extern int bell;
#endif
