#include <algorithm>
#include <numeric>
#include <vector>

#include "bench/checked.hpp"
#include "bench/posix_file.hpp"
#include "bench/way.hpp"
#include "engine/copy.hpp"

namespace headrace::bench {
namespace {

/// One request, relative to the call's displacement.
struct Piece {
  std::int64_t offset;
  std::int64_t length;
};
constexpr int piece_numbers = 2;

/// How much goes to, or comes from, each rank; in the units of an MPI_Alltoallv.
struct Counts {
  explicit Counts(int ranks) : each(ranks), before(ranks) {}
  void finish() { std::exclusive_scan(each.begin(), each.end(), before.begin(), 0); }
  int total() const { return before.back() + each.back(); }

  std::vector<int> each;
  std::vector<int> before;
};

Counts exchanged(MPI_Comm comm, const Counts& sent) {
  Counts received(size_of(comm));
  check(MPI_Alltoall(sent.each.data(), 1, MPI_INT, received.each.data(), 1, MPI_INT, comm),
        "MPI_Alltoall");
  received.finish();
  return received;
}

/// The pieces joined where they touch; sorted.
std::vector<Piece> joined(std::vector<Piece> pieces) {
  std::sort(pieces.begin(), pieces.end(),
            [](const Piece& a, const Piece& b) { return a.offset < b.offset; });
  std::vector<Piece> result;
  for (const Piece& piece : pieces) {
    if (!result.empty() && result.back().offset + result.back().length == piece.offset)
      result.back().length += piece.length;
    else
      result.push_back(piece);
  }
  return result;
}

class Handmade : public Way {
 public:
  Handmade(MPI_Comm comm, const RankLayout& layout)
      : comm_(comm),
        file_pattern_(layout.file),
        memory_pattern_(layout.memory),
        own_bytes_(size_of(comm)),
        extent_bytes_(size_of(comm)) {}

  void open(const std::string& path, bool is_write) override { file_.open(comm_, path, is_write); }
  void write(const std::byte* buffer) override;
  void read(std::byte* buffer) override;
  void close() override { file_.close(); }

 private:
  void find_partners();
  Extent cut_range() const;
  std::vector<Piece> own_pieces(Counts& pieces_to);
  void all_to_all(const std::byte* from, const Counts& sent, std::byte* to,
                  const Counts& received) const;
  std::byte* place(const Piece& piece) { return extent_.data() + (piece.offset - extent_begin_); }

  MPI_Comm comm_;
  plan::Pattern file_pattern_;
  plan::Pattern memory_pattern_;
  PosixFile file_;

  bool knows_partners_ = false;
  std::int64_t extent_begin_ = 0;  // of this rank's extent, relative to the call's displacement
  Counts own_bytes_;               // this rank's, by the rank of whose extent they are
  Counts extent_bytes_;            // this extent's, by the rank whose they are
  std::vector<Piece> requests_;    // of all ranks in this extent, in the order of extent_bytes_
  std::vector<Piece> covered_;     // the same, joined
  std::vector<std::byte> own_;     // this rank's bytes in the order of the file
  std::vector<std::byte> moved_;   // this extent's bytes in the order of requests_
  std::vector<std::byte> extent_;  // the same in the order of the file
};

Extent Handmade::cut_range() const {
  const Extent mine = file_pattern_.span();
  const bool has_data = !file_pattern_.empty();
  const std::int64_t begin = has_data ? mine.begin : INT64_MAX;
  return {reduced(comm_, begin, MPI_INT64_T, MPI_MIN),
          reduced(comm_, mine.end, MPI_INT64_T, MPI_MAX)};
}

/// Cuts this rank's requests where extents meet, and counts them and their bytes by rank.
std::vector<Piece> Handmade::own_pieces(Counts& pieces_to) {
  constexpr std::int64_t least = 4 << 20;
  constexpr std::int64_t page = 4096;
  const Extent range = cut_range();
  const int ranks = size_of(comm_);
  const std::int64_t even = (range.length() + ranks - 1) / ranks;
  const std::int64_t extent = (std::max(least, even) + page - 1) / page * page;
  extent_begin_ = range.begin + extent * rank_of(comm_);
  std::vector<Piece> pieces;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::int64_t begin = file_pattern_.bytes_below(range.begin + extent * rank);
    const std::int64_t end = file_pattern_.bytes_below(range.begin + extent * (rank + 1));
    const std::int64_t first = std::ssize(pieces);
    plan::RunCursor(file_pattern_, begin, end)
        .for_each_piece([&](std::int64_t offset, std::int64_t length) {
          pieces.push_back({offset, length});
        });
    pieces_to.each[rank] =
        count_of(std::ssize(pieces) - first, "requests of one rank in one extent");
    own_bytes_.each[rank] = count_of(end - begin, "handmade");
  }
  pieces_to.finish();
  own_bytes_.finish();
  return pieces;
}

void Handmade::find_partners() {
  if (knows_partners_) return;
  Counts pieces_to(size_of(comm_));
  const std::vector<Piece> pieces = own_pieces(pieces_to);
  const Counts pieces_from = exchanged(comm_, pieces_to);
  extent_bytes_ = exchanged(comm_, own_bytes_);
  requests_.resize(pieces_from.total());
  MPI_Datatype pair = MPI_DATATYPE_NULL;
  check(MPI_Type_contiguous(piece_numbers, MPI_INT64_T, &pair), "MPI_Type_contiguous");
  check(MPI_Type_commit(&pair), "MPI_Type_commit");
  check(MPI_Alltoallv(pieces.data(), pieces_to.each.data(), pieces_to.before.data(), pair,
                      requests_.data(), pieces_from.each.data(), pieces_from.before.data(), pair,
                      comm_),
        "MPI_Alltoallv");
  check(MPI_Type_free(&pair), "MPI_Type_free");
  covered_ = joined(requests_);
  own_.resize(own_bytes_.total());
  moved_.resize(extent_bytes_.total());
  if (!covered_.empty())
    extent_.resize(covered_.back().offset + covered_.back().length - extent_begin_);
  knows_partners_ = true;
}

void Handmade::all_to_all(const std::byte* from, const Counts& sent, std::byte* to,
                          const Counts& received) const {
  check(MPI_Alltoallv(from, sent.each.data(), sent.before.data(), MPI_BYTE, to,
                      received.each.data(), received.before.data(), MPI_BYTE, comm_),
        "MPI_Alltoallv");
}

void Handmade::write(const std::byte* buffer) {
  find_partners();
  engine::copy_runs(own_.data(), engine::OneRun(0, std::ssize(own_)), buffer,
                    plan::RunCursor(memory_pattern_));
  all_to_all(own_.data(), own_bytes_, moved_.data(), extent_bytes_);
  const std::byte* next = moved_.data();
  for (const Piece& piece : requests_) {
    engine::copy_piece(place(piece), next, piece.length);
    next += piece.length;
  }
  for (const Piece& piece : covered_)
    file_.write_at(displacement() + piece.offset,
                   {place(piece), static_cast<std::size_t>(piece.length)});
}

void Handmade::read(std::byte* buffer) {
  find_partners();
  for (const Piece& piece : covered_)
    file_.read_at(displacement() + piece.offset,
                  {place(piece), static_cast<std::size_t>(piece.length)});
  std::byte* next = moved_.data();
  for (const Piece& piece : requests_) {
    engine::copy_piece(next, place(piece), piece.length);
    next += piece.length;
  }
  all_to_all(moved_.data(), extent_bytes_, own_.data(), own_bytes_);
  engine::copy_runs(buffer, plan::RunCursor(memory_pattern_), own_.data(),
                    engine::OneRun(0, std::ssize(own_)));
}

}  // namespace

std::unique_ptr<Way> handmade(MPI_Comm comm, const RankLayout& layout) {
  return std::make_unique<Handmade>(comm, layout);
}

}  // namespace headrace::bench
