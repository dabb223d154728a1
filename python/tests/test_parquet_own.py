"""What pyarrow can't do with a footer, which is why there are a writer of footers and a check of codecs here.

Everything that a footer says is read by pyarrow: where chunks and pages are, codecs, writers, types, row counts.
"""

import pickle
import subprocess
import sys

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from parquets import Counting, chunk_bytes, opened

from scant.distributed.parquet import _footer


@pytest.fixture
def wide(tmp_path):
    columns = {f"x{i}": np.arange(40.0) + i for i in range(300)}
    pq.write_table(pa.table({**columns, "y": np.arange(40.0)}), tmp_path / "wide.parquet", row_group_size=2)
    return tmp_path / "wide.parquet"


def test_everything_that_is_kept_of_a_footer_is_pyarrow_s(wide):
    table = opened(wide)
    (groups,), metadata = table._files, pq.read_metadata(wide)
    assert groups.writer == metadata.created_by
    for group in (0, 19):
        assert groups.rows[group] == metadata.row_group(group).num_rows
        for column in (0, 299):
            chunk = metadata.row_group(group).column(column)
            assert groups.size[group, column] == chunk.total_compressed_size
            assert groups.data[group, column] == chunk.data_page_offset
            assert groups.dictionary[group, column] == chunk.dictionary_page_offset
            assert groups.codec[group, column] == _footer.CODECS[chunk.compression]


def test_it_makes_no_footer_for_some_chunks(wide):
    """A worker would need the whole footer of the file; nothing makes one of the chunks that it reads."""
    with pytest.raises(TypeError):
        pq.FileMetaData()
    with pytest.raises(TypeError):
        pq.RowGroupMetaData()
    table = opened(wide)
    task = table.task(0, {3: np.array([5, 80], dtype=np.uint32)})
    whole = pickle.dumps(pq.read_metadata(wide))
    assert len(whole) >= table.footer_bytes - 8 > 100 * len(pickle.dumps(task))
    wanted = task._wanted[0]
    file = b"PAR1" + b"?" * int(wanted.places[:, 1].sum())
    chunks, at = [], 4
    for leaf, (_, size, _, _), codec in zip(wanted.leaves, wanted.places.tolist(), wanted.codecs, strict=True):
        chunks.append(_footer.Chunk(leaf, at, size, at, -1, int(codec)))
        at += size
    made = pq.read_metadata(pa.BufferReader(file + _footer.footer(chunks, 2, "a writer")))
    assert (made.num_columns, made.num_rows, made.created_by) == (3, 2, "a writer")
    assert sum(made.row_group(0).column(at).total_compressed_size for at in range(3)) == chunk_bytes(
        wide, 3, ["x5", "x80", "y"]
    )


def test_it_reads_more_than_the_footer(tmp_path):
    """64 KiB of the end of a file, where the ledger counts bytes; here the footer alone is read."""
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"x": np.random.default_rng(0).normal(size=20000), "y": np.arange(20000.0)}), path)
    store = Counting()
    Counting.read.clear()
    pq.read_metadata(_Whole(path, Counting.read))
    theirs = sum(size for *_, size in Counting.read)
    Counting.read.clear()
    table = opened(str(path), filesystem=store)
    ours = sum(size for *_, size in Counting.read)
    assert ours == table.footer_bytes < 2000 and theirs >= 65536


class _Whole:
    """A file that remembers how much is read of it."""

    def __init__(self, path, read):
        self.file, self.log, self.closed, self.mode = open(path, "rb"), read, False, "rb"

    def read(self, size=-1):
        got = self.file.read(size)
        self.log.append((None, None, len(got)))
        return got

    def seek(self, *place):
        return self.file.seek(*place)

    def tell(self):
        return self.file.tell()

    def readable(self):
        return True

    def seekable(self):
        return True

    def writable(self):
        return False

    def close(self):
        self.file.close()


NAME_OF_CODEC = """
import sys, pyarrow.parquet
metadata = pyarrow.parquet.read_metadata(sys.argv[1])
print("parsed", flush=True)
print(metadata.row_group(0).column(0).compression)
"""


def test_it_ends_the_process_at_an_unknown_codec(tmp_path):
    """So such footers are refused before pyarrow is asked for the name of a codec."""
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"x": np.arange(9.0), "y": np.arange(9.0)}), path, compression="snappy")
    whole = path.read_bytes()
    end = len(whole) - 8 - int.from_bytes(whole[-8:-4], "little")
    said = b"\x19\x18\x01x\x15\x02"  # the path of a chunk, and its codec
    assert whole[end:].count(said) == 1
    path.write_bytes(whole[:end] + whole[end:].replace(said, said[:-1] + _footer._signed(23)))
    done = subprocess.run([sys.executable, "-c", NAME_OF_CODEC, path], capture_output=True, text=True)
    assert done.stdout == "parsed\n" and done.returncode < 0, done
    metadata = pq.read_metadata(path)
    assert metadata.num_rows == 9
    with pytest.raises(ValueError, match="nobody knows how column 'x' is compressed"):
        _footer._check_codecs("a file", path.read_bytes()[end:-8], metadata)
