/* scant serve and scant token, where the command was built without libmicrohttpd. */
#include "front/command.h"

static int refuse(const arguments *a) {
  scant_error error = {"this scant was built without libmicrohttpd, which serving studies needs"};
  return print_failure(a->command, SCANT_MISUSE, &error);
}

const named *token_at(size_t index) {
  (void)index;
  return NULL;
}

int run_serve(arguments *a) {
  return refuse(a);
}

int run_token(arguments *a) {
  return refuse(a);
}
