/* scant token: who may do what. */
#include "command.h"
#include "scant_serve.h"

int run_token(arguments *a) {
  return print_usage_failure(a->command, "not yet");
}
