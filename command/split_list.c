#include "split_list.h"

#include <stdlib.h>
#include <string.h>

int split_list_make(split_list *list, const char *lines) {
  *list = (split_list){0};
  if (!lines) return 1;
  size_t most = 1;
  for (const char *c = lines; *c; c++) most += *c == '\n';
  list->text = malloc(strlen(lines) + 1);
  list->items = malloc(most * sizeof *list->items);
  if (!list->text || !list->items) {
    split_list_free(list);
    return 0;
  }
  memcpy(list->text, lines, strlen(lines) + 1);
  for (char *at = list->text; at;) {
    char *end = strchr(at, '\n');
    if (end) *end++ = 0;
    list->items[list->count++] = at;
    at = end;
  }
  return 1;
}

void split_list_free(split_list *list) {
  free(list->text);
  free(list->items);
  *list = (split_list){0};
}
