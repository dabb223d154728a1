/* Files of looks: whole or not at all, whatever fails. */
#include "fail_each.h"
#include "fits.h"

#include <dirent.h>

static table data;
static scant_source *source;
static scant_settings settings;
static const char *file = "looks.csv";

/* How many files of looks there are, unfinished ones included. */
static int files_there(void) {
  int count = 0;
  DIR *entries = opendir(files_directory);
  for (const struct dirent *entry; entries && (entry = readdir(entries));)
    count += !strncmp(entry->d_name, "looks", 5) || !strncmp(entry->d_name, "pairs", 5);
  if (entries) closedir(entries);
  return count;
}

static void note_file(const char *name) {
  char text[1 << 16];
  FILE *in = fopen(file_path(name), "rb");
  if (!CHECK(in != NULL)) return;
  note(text, fread(text, 1, sizeof text, in));
  fclose(in);
}

static void remove_files(void) {
  remove(file_path(file));
  remove(file_path("pairs.npy"));
}

static scant_status run(void) {
  scant_fit *fit = NULL;
  int done = 0;
  scant_status status = scant_fit_new(&fit, &settings, source, &error);
  if (status == SCANT_OK) status = scant_fit_keep_looks(fit, file_path(file), file_path("pairs.npy"), &error);
  if (status == SCANT_OK) status = scant_fit_advance(fit, 1 << 20, &done, &error);
  if (status == SCANT_OK) status = scant_fit_end_looks(fit, &error);
  stop_failing();
  if (status == SCANT_OK) {
    note_file(file);
    note_file("pairs.npy");
  }
  scant_fit_free(fit);
  CHECK(files_there() == (status == SCANT_OK ? 2 : 0));
  remove_files();
  return status;
}

TEST(no_memory_leaves_no_file) {
  static const char *const lists[] = {"algorithm=aerr k=4 examples=12", "algorithm=auto k=6 examples=12"};
  for (size_t i = 0; i < 2; i++) {
    settings = settings_from(lists[i]);
    file = i ? "looks.npy" : "looks.csv";
    fail_each(lists[i], run);
  }
}

TEST(calls_out_of_order) {
  settings = settings_from("algorithm=auto k=4");
  scant_fit *fit = fit_with(&settings, source);
  file = "looks.csv";
  CHECK(scant_fit_end_looks(fit, &error) == SCANT_MISUSE && scant_fit_looks_beside(fit, 0) == NULL);
  CHECK(scant_fit_keep_looks(fit, file_path(file), NULL, &error) == SCANT_OK && files_there() == 1);
  CHECK(scant_fit_looks_beside(fit, 0) != NULL && scant_fit_looks_beside(fit, 1) == NULL);
  CHECK(access(scant_fit_looks_beside(fit, 0), F_OK) == 0);
  CHECK(scant_fit_keep_looks(fit, file_path(file), NULL, &error) == SCANT_MISUSE);
  CHECK(scant_fit_keep_looks(fit, NULL, NULL, &error) == SCANT_OK && files_there() == 0);
  CHECK(scant_fit_keep_looks(fit, file_path(file), file_path(file), &error) == SCANT_USAGE && files_there() == 0);
  char again[1024]; /* the same file by another name */
  snprintf(again, sizeof again, "%s/./%s", files_directory, file);
  CHECK(scant_fit_keep_looks(fit, file_path(file), again, &error) == SCANT_USAGE && files_there() == 0);
  CHECK_SAYS(error.text, "can't both be in");
  CHECK(scant_fit_keep_looks(fit, file_path("looks"), NULL, &error) == SCANT_USAGE);
  CHECK_SAYS(error.text, ".csv nor with .npy");
  /* what is bought before and after is not in it */
  CHECK(advance(fit, 5) == 0);
  CHECK(scant_fit_keep_looks(fit, file_path(file), NULL, &error) == SCANT_OK);
  CHECK(advance(fit, 3) == 0 && scant_fit_end_looks(fit, &error) == SCANT_OK && advance(fit, 3) == 0);
  FILE *in = fopen(file_path(file), "r");
  char line[512];
  int lines = 0;
  while (in && fgets(line, sizeof line, in)) lines++;
  if (in) fclose(in);
  CHECK(lines == 1 + 3 * 4);
  scant_fit_free(fit);
  remove_files();
}

int main(void) {
  files_begin();
  table_fill(&data, 4);
  static const char *const names[TABLE_DIMENSION] = {"a", "b,c", "=d", "e", "f", "g", "h", "i", "j", "k", "l", "m"};
  source = table_source(&data);
  CHECK(scant_source_set_names(source, names, "y", NULL) == SCANT_OK);
  files_held();
  RUN(no_memory_leaves_no_file);
  RUN(calls_out_of_order);
  scant_source_free(source);
  files_end();
  return check_done();
}
