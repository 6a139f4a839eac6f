// The steps of a collective call that grow with the number of requests: compress, walk, encode,
// decode, merge, place, copy; each on a regular pattern and on one without a rule, up to 10^7
// requests. The rate that is shown, items per second, is of requests: its inverse is the cost of
// one.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <vector>

#include "engine/copy.hpp"
#include "plan/merge.hpp"
#include "plan/pattern.hpp"
#include "plan/run_codec.hpp"
#include "plan/window.hpp"

namespace headrace {
namespace {

constexpr std::int64_t fewest = 10'000;
constexpr std::int64_t most = 10'000'000;
constexpr int sources = 16;

enum class Shape { regular, irregular, interleaved };

constexpr std::int64_t arrays = 9;

/// Where `count` requests of one of `sources` ranks begin, which interleave at this distance.
std::vector<std::int64_t> offsets_of(Shape shape, std::int64_t count, int source,
                                     std::int64_t distance) {
  std::minstd_rand random(static_cast<unsigned>(source) + 1);
  std::vector<std::int64_t> offsets(count);
  for (std::int64_t i = 0; i < count; ++i) {
    offsets[i] = i * sources * distance;
    // The elements of arrays in turns: no longer in ascending order.
    if (shape == Shape::interleaved)
      offsets[i] = (i % arrays * ((count + arrays - 1) / arrays) + i / arrays) * sources * distance;
    // One of two neighbouring places, so no stride lasts.
    if (shape == Shape::irregular)
      offsets[i] += static_cast<std::int64_t>(random() % 2) * distance / 2;
  }
  return offsets;
}

/// `count` requests of 8 bytes.
plan::Pattern requests(Shape shape, std::int64_t count, int source, std::int64_t distance) {
  plan::PlacedLayout placed = shape == Shape::regular
                                  ? plan::repeat(plan::contiguous(8), count, sources * distance)
                                  : plan::blocks(offsets_of(shape, count, source, distance),
                                                 std::vector<std::int64_t>(count, 8));
  placed.offset += source * distance;
  return {placed, 0, placed.layout->size()};
}

plan::RunEncoder encoded(const plan::Pattern& pattern) {
  return plan::encode_window(pattern, plan::Window({0, pattern.span().end}));
}

void count_requests(benchmark::State& state) {
  state.SetItemsProcessed(state.iterations() * state.range(0));
  state.SetComplexityN(state.range(0));
}

/// As the lists of a datatype are taken in, one by one.
template <Shape shape>
void compress(benchmark::State& state) {
  const std::vector<std::int64_t> offsets = offsets_of(shape, state.range(0), 0, 16);
  const std::vector<std::int64_t> lengths(offsets.size(), 8);
  for (auto _ : state) benchmark::DoNotOptimize(plan::blocks(offsets, lengths).layout.get());
  count_requests(state);
}

template <Shape shape>
void walk(benchmark::State& state) {
  const plan::Pattern pattern = requests(shape, state.range(0), 0, 16);
  for (auto _ : state) {
    std::int64_t bytes = 0;
    plan::RunCursor cursor(pattern);
    for (plan::Run run; cursor.next(run);) bytes += run.bytes();
    benchmark::DoNotOptimize(bytes);
  }
  count_requests(state);
}

template <Shape shape>
void encode(benchmark::State& state) {
  const plan::Pattern pattern = requests(shape, state.range(0), 0, 16);
  for (auto _ : state) benchmark::DoNotOptimize(encoded(pattern).bytes().data());
  count_requests(state);
}

template <Shape shape>
void decode(benchmark::State& state) {
  const plan::RunEncoder wire = encoded(requests(shape, state.range(0), 0, 16));
  for (auto _ : state) {
    std::int64_t bytes = 0;
    plan::RunDecoder decoder(wire.bytes());
    for (plan::Run run; decoder.next(run);) bytes += run.bytes();
    benchmark::DoNotOptimize(bytes);
  }
  count_requests(state);
}

/// `distance` decides how: at 16 bytes by marking, at 4096 in order.
template <Shape shape, std::int64_t distance, bool with_places>
void merge(benchmark::State& state) {
  std::vector<plan::RunEncoder> encoders;
  std::vector<std::span<const std::byte>> wires;
  for (int source = 0; source < sources; ++source)
    encoders.push_back(encoded(requests(shape, state.range(0) / sources, source, distance)));
  for (const plan::RunEncoder& encoder : encoders) wires.push_back(encoder.bytes());
  for (auto _ : state)
    benchmark::DoNotOptimize(plan::merge(wires, with_places).requests.bytes().data());
  count_requests(state);
}

/// From the places of the requests in the file to packed memory.
template <Shape shape>
void copy(benchmark::State& state) {
  const plan::Pattern pattern = requests(shape, state.range(0), 0, 16);
  std::vector<std::byte> file(pattern.origin() + pattern.layout()->span().end);
  std::vector<std::byte> memory(pattern.size());
  for (auto _ : state) {
    engine::copy_runs(memory.data(), engine::OneRun(0, pattern.size()), file.data(),
                      plan::RunCursor(pattern));
    benchmark::ClobberMemory();
  }
  count_requests(state);
  state.SetBytesProcessed(state.iterations() * pattern.size());
}

/// The same by its list, to or from memory in stretches of 16 requests, as that of a member is
/// which has its data in windows of many pieces.
template <Shape shape, bool to_memory>
void copy_stretches(benchmark::State& state) {
  constexpr std::int64_t stretch = std::int64_t{16} * 8;
  const plan::Pattern pattern = requests(shape, state.range(0), 0, 16);
  const plan::RunEncoder list = encoded(pattern);
  const plan::Pattern memory(plan::contiguous(2 * pattern.size()));
  std::vector<Extent> stretches;
  for (std::int64_t at = 0; at < memory.size(); at += 2 * stretch)
    stretches.push_back({at, at + stretch});
  std::vector<std::byte> file(pattern.span().end);
  std::vector<std::byte> buffer(memory.size());
  for (auto _ : state) {
    const plan::RunDecoder places(list.bytes());
    const engine::PatternParts own(memory, stretches);
    if (to_memory)
      engine::copy_runs(buffer.data(), own, file.data(), places);
    else
      engine::copy_runs(file.data(), places, buffer.data(), own);
    benchmark::ClobberMemory();
  }
  count_requests(state);
  state.SetBytesProcessed(state.iterations() * pattern.size());
}

constexpr auto in_order = std::int64_t{4096};
constexpr auto by_marking = std::int64_t{16};

void sizes(benchmark::internal::Benchmark* benchmark) {
  benchmark->RangeMultiplier(10)->Range(fewest, most)->Complexity()->Unit(benchmark::kMicrosecond);
}

BENCHMARK(compress<Shape::regular>)->Apply(sizes);
BENCHMARK(compress<Shape::irregular>)->Apply(sizes);
BENCHMARK(compress<Shape::interleaved>)->Apply(sizes);
BENCHMARK(walk<Shape::regular>)->Apply(sizes);
BENCHMARK(walk<Shape::irregular>)->Apply(sizes);
BENCHMARK(walk<Shape::interleaved>)->Apply(sizes);
BENCHMARK(encode<Shape::regular>)->Apply(sizes);
BENCHMARK(encode<Shape::irregular>)->Apply(sizes);
BENCHMARK(decode<Shape::regular>)->Apply(sizes);
BENCHMARK(decode<Shape::irregular>)->Apply(sizes);
BENCHMARK(merge<Shape::regular, by_marking, false>)->Apply(sizes);
BENCHMARK(merge<Shape::irregular, by_marking, false>)->Apply(sizes);
BENCHMARK(merge<Shape::irregular, by_marking, true>)->Apply(sizes);
BENCHMARK(merge<Shape::regular, in_order, false>)->Apply(sizes);
BENCHMARK(merge<Shape::irregular, in_order, false>)->Apply(sizes);
BENCHMARK(merge<Shape::irregular, in_order, true>)->Apply(sizes);
BENCHMARK(copy<Shape::regular>)->Apply(sizes);
BENCHMARK(copy<Shape::irregular>)->Apply(sizes);
BENCHMARK(copy<Shape::interleaved>)->Apply(sizes);
BENCHMARK(copy_stretches<Shape::irregular, true>)->Apply(sizes);
BENCHMARK(copy_stretches<Shape::irregular, false>)->Apply(sizes);

}  // namespace
}  // namespace headrace
