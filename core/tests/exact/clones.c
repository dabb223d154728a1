/* Functions marked SCANT_WIDEST are compiled for several widths, and the program
 * chooses when it starts, by what the compiler's library says of the machine.  Here
 * that library forgets the widths beyond SCANT_TESTED_WIDTH (2: plain, 3: x86-64-v3,
 * 4: x86-64-v4), so that the narrower clones run too. */
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__)

/* In libgcc: words of features from the 33rd on.  Features 97 and 98 are x86-64-v3
 * and -v4. */
extern unsigned __cpu_features2[];
int __real___cpu_indicator_init(void);
int __wrap___cpu_indicator_init(void);

int __wrap___cpu_indicator_init(void) {
  int status = __real___cpu_indicator_init();
  if (SCANT_TESTED_WIDTH < 4) __cpu_features2[2] &= ~(1u << 2);
  if (SCANT_TESTED_WIDTH < 3) __cpu_features2[2] &= ~(1u << 1);
  return status;
}

#endif
