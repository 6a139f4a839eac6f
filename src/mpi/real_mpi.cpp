#include "mpi/real_mpi.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <type_traits>

namespace headrace::mpi {
namespace {

/// The library that holds the host's symbols, by a symbol that Headrace never exports. It answers
/// where RTLD_NEXT cannot: when Headrace and its MPI were loaded in a local scope (Python).
void* host_library() noexcept {
  Dl_info info{};
  if (dladdr(reinterpret_cast<void*>(&MPI_Get_library_version), &info) == 0) return nullptr;
  return dlopen(info.dli_fname, RTLD_NOLOAD | RTLD_LAZY);
}

template <class Answer, class... Arguments>
Answer unsupported(Arguments...) {
  if constexpr (std::is_same_v<Answer, int>)
    return MPI_ERR_UNSUPPORTED_OPERATION;
  else
    return Answer{};
}

/// One lookup of the whole table.
class Resolver {
 public:
  template <class Answer, class... Arguments>
  void resolve(Answer (*&target)(Arguments...), const char* name) {
    void* symbol = dlsym(RTLD_NEXT, name);
    if (symbol == nullptr) symbol = in_host_library(name);
    if (symbol == nullptr) complain(name);
    target = symbol != nullptr ? reinterpret_cast<Answer (*)(Arguments...)>(symbol)
                               : &unsupported<Answer, Arguments...>;
  }

 private:
  void* in_host_library(const char* name) {
    if (library_ == nullptr) library_ = host_library();
    return library_ != nullptr ? dlsym(library_, name) : nullptr;
  }

  void complain(const char* name) {
    if (complained_) return;
    complained_ = true;
    std::fprintf(stderr,
                 "headrace: the host MPI's function %s was not found; MPI-IO will return errors. "
                 "Is this the library for the MPI that the program links?\n",
                 name);
  }

  void* library_ = nullptr;
  bool complained_ = false;
};

RealMpi resolve_all() {
  RealMpi table{};
  Resolver resolver;
#define HEADRACE_RESOLVE(name, parameters, arguments) \
  resolver.resolve(table.name, "PMPI_File_" #name);
  HEADRACE_INTERPOSED_FUNCTIONS(HEADRACE_RESOLVE)
#undef HEADRACE_RESOLVE
  resolver.resolve(table.c2f, "PMPI_File_c2f");
  resolver.resolve(table.f2c, "PMPI_File_f2c");
  return table;
}

}  // namespace

thread_local int InsideHost::depth = 0;

const RealMpi& real_mpi() noexcept {
  static const RealMpi table = resolve_all();
  return table;
}

}  // namespace headrace::mpi
