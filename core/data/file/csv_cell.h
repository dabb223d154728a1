/* Texts as cells of CSV that no spreadsheet runs: scant_csv_cell of scant.h, and the way back. */
#ifndef SCANT_DATA_CSV_CELL_H
#define SCANT_DATA_CSV_CELL_H

/* The text that scant_csv_cell was given, from a cell without its quotes: without the apostrophe, if one was
 * put before it. */
const char *scant_csv_unguard(const char *text);

#endif
