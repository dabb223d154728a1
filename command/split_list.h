/* Options that were given several times: their texts stand one per line. */
#ifndef SCANT_CLI_SPLIT_LIST_H
#define SCANT_CLI_SPLIT_LIST_H

#include <stddef.h>

typedef struct split_list {
  char *text;
  const char **items;
  size_t count;
} split_list;

/* `lines` NULL: an empty one.  0: out of memory. */
int split_list_make(split_list *list, const char *lines);
void split_list_free(split_list *list);

#endif
