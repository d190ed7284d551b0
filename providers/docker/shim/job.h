/*
 * A job's directory below /.errand/jobs. It appears by a rename, complete, with its lock held; a name that is taken
 * stays taken, so the same job never starts twice.
 *   about   who asked for it, as it was given
 *   lock    held by the supervisor as long as it lives; its process number
 *   out err what the job wrote
 *   exit    "code signal started ended oom timed-out told", when nothing of the job is alive any more; told: 1 it was
 *           asked to end, 2 it was forced to
 * One that was stopped before it was started has the name too, with an empty `about`, and an end.
 */
#ifndef ERRAND_JOB_H
#define ERRAND_JOB_H
#include "text.h"

#define JOBS "/.errand/jobs/"
#define LONGEST_NAME 200

struct order {
  const char *name;
  const char *cwd;
  const char *about;
  u64 timeout;
  u64 grace;
  char **argv;
  char **env;
};

enum { STARTED, EXISTED, FENCED, FAILED };

/* Forks a supervisor. Gives STARTED when the command runs or could not be run, EXISTED or FAILED. */
int start_job(struct order *order);

/* Takes the name, so that a start that comes later starts nothing. 0 when it was free. */
int bury_job(const char *name);

/* `part` may be empty. */
void job_path(char *to, const char *name, const char *part);
int name_is_good(const char *name);
/* The supervisor's number while it lives, else 0. */
int supervisor_of(const char *name);
/* Ends what outlived its supervisor. */
void end_orphans(const char *name);

/* swap.c */
#define INCOMING ".errand-incoming"
/* Removes what a half-done filling left. */
void clear_incoming(const char *workdir);
/* The files below INCOMING/tag become the workspace; those that were there are removed. Negative when they could not. */
int swap_files(const char *workdir, const char *tag);

/* processes.c */
/* Sends it to everything below this process; gives how many there were. */
int signal_descendants(int signal);
/* Sends it to every process whose environment has that entry. */
int signal_marked(const char *entry, int signal);
u64 oom_kills(void);
#endif
