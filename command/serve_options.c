/* The options of serve and token. */
#include "front/option_rows.h"

const scant_option serve_options[] = {
    {.name = "listen",
     .type = SCANT_OPTION_TEXT,
     .argument = "ADDRESS:PORT",
     .help = "where to listen; 127.0.0.1:8765 if not given, which only this machine reaches.  Port 0 takes any that is "
             "free.  Other addresses need --tokens and --behind-proxy",
     .offset = OWN(listen)},
    {.name = "socket",
     .type = SCANT_OPTION_TEXT,
     .argument = "PATH",
     .help = "listen at a socket in the file system in place of an address, for a proxy of the same user",
     .offset = OWN(socket)},
    {.name = "tokens",
     .type = SCANT_OPTION_TEXT,
     .argument = "FILE",
     .help = "who may do what: a file that 'scant token add' makes; changes count from the next request on",
     .offset = OWN(tokens)},
    {.name = "base-path",
     .type = SCANT_OPTION_TEXT,
     .argument = "PATH",
     .help = "what stands before every path, such as /scant, where a proxy serves other things, too",
     .offset = OWN(base_path)},
    {.name = "behind-proxy",
     .type = SCANT_OPTION_FLAG,
     .preset = "no",
     .help =
         "a proxy with TLS stands before it: cookies go over TLS alone, and the address of a client is the last one "
         "in X-Forwarded-For",
     .offset = OWN(behind_proxy)},
    {.name = "host",
     .type = SCANT_OPTION_TEXT,
     .argument = "NAME",
     .join = '\n',
     .help = "a name by which browsers may call it, such as study.example.org; it may be given several times.  "
             "localhost and 127.0.0.1 are taken always",
     .offset = OWN(host)},
    {.name = "patience",
     .type = SCANT_OPTION_REAL,
     .argument = "SECONDS",
     .preset = "20",
     .minimum = 0.1,
     .maximum = 3600,
     .help = "how long a client may take for the head of a request; for its body three times that",
     .offset = OWN(patience)},
    {0}};

const scant_option token_options[] = {
    {.name = "role",
     .type = SCANT_OPTION_TEXT,
     .argument = "ROLE",
     .help = "add: read sees how the study stands; enter also asks, tells, and corrects what the same person told; "
             "manage does everything",
     .offset = OWN(role)},
    {.name = "study",
     .type = SCANT_OPTION_TEXT,
     .argument = "NAME",
     .join = '\n',
     .help = "add: the token opens only this study, clinic of clinic.study; it may be given several times.  All if not "
             "given",
     .offset = OWN(study)},
    {.name = "days",
     .type = SCANT_OPTION_COUNT,
     .argument = "N",
     .minimum = 1,
     .maximum = 36500,
     .help = "add: the token ends after so many days; never if not given",
     .offset = OWN(days)},
    OPTION_JSON,
    {0}};
