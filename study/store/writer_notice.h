/* What a handle that writes says to those who are refused. */
#ifndef SCANT_STUDY_ANNOUNCE_H
#define SCANT_STUDY_ANNOUNCE_H

enum { STUDY_WHERE = 500 };

/* Cuts a lock file, which the caller has locked, to nothing. */
void study_cut_announcement(int file);
/* What a lock file says; "": nothing. */
void study_read_announcement(const char *lock, char where[STUDY_WHERE]);

#endif
