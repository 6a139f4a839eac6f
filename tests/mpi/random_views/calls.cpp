#include "calls.hpp"

namespace headrace::test {
namespace {

struct Arguments {
  MPI_File file;
  MPI_Offset offset;
  void* buffer;
  int count;
  MPI_Datatype type;
  MPI_Status* status;
};

int blocking(const CallForm& form, const Arguments& a) {
  if (form.write) {
    return form.explicit_offset
               ? MPI_File_write_at_all(a.file, a.offset, a.buffer, a.count, a.type, a.status)
               : MPI_File_write_all(a.file, a.buffer, a.count, a.type, a.status);
  }
  return form.explicit_offset
             ? MPI_File_read_at_all(a.file, a.offset, a.buffer, a.count, a.type, a.status)
             : MPI_File_read_all(a.file, a.buffer, a.count, a.type, a.status);
}

int split_begin(const CallForm& form, const Arguments& a) {
  if (form.write) {
    return form.explicit_offset
               ? MPI_File_write_at_all_begin(a.file, a.offset, a.buffer, a.count, a.type)
               : MPI_File_write_all_begin(a.file, a.buffer, a.count, a.type);
  }
  return form.explicit_offset
             ? MPI_File_read_at_all_begin(a.file, a.offset, a.buffer, a.count, a.type)
             : MPI_File_read_all_begin(a.file, a.buffer, a.count, a.type);
}

int split_end(const CallForm& form, const Arguments& a) {
  if (form.write) {
    return form.explicit_offset ? MPI_File_write_at_all_end(a.file, a.buffer, a.status)
                                : MPI_File_write_all_end(a.file, a.buffer, a.status);
  }
  return form.explicit_offset ? MPI_File_read_at_all_end(a.file, a.buffer, a.status)
                              : MPI_File_read_all_end(a.file, a.buffer, a.status);
}

#if MPI_VERSION >= 4
int blocking_large(const CallForm& form, const Arguments& a) {
  if (form.write) {
    return form.explicit_offset
               ? MPI_File_write_at_all_c(a.file, a.offset, a.buffer, a.count, a.type, a.status)
               : MPI_File_write_all_c(a.file, a.buffer, a.count, a.type, a.status);
  }
  return form.explicit_offset
             ? MPI_File_read_at_all_c(a.file, a.offset, a.buffer, a.count, a.type, a.status)
             : MPI_File_read_all_c(a.file, a.buffer, a.count, a.type, a.status);
}

int split_begin_large(const CallForm& form, const Arguments& a) {
  if (form.write) {
    return form.explicit_offset
               ? MPI_File_write_at_all_begin_c(a.file, a.offset, a.buffer, a.count, a.type)
               : MPI_File_write_all_begin_c(a.file, a.buffer, a.count, a.type);
  }
  return form.explicit_offset
             ? MPI_File_read_at_all_begin_c(a.file, a.offset, a.buffer, a.count, a.type)
             : MPI_File_read_all_begin_c(a.file, a.buffer, a.count, a.type);
}
#else
constexpr auto blocking_large = blocking;
constexpr auto split_begin_large = split_begin;
#endif

}  // namespace

CallForm random_form(Random& random, bool may_write, bool may_read) {
  CallForm form;
  form.write = may_write && (!may_read || random.chance(55));
  form.explicit_offset = random.chance(50);
  form.split = random.chance(25);
  form.large_count = MPI_VERSION >= 4 && random.chance(30);
  return form;
}

std::string name_of(const CallForm& form) {
  std::string name = form.write ? "MPI_File_write" : "MPI_File_read";
  name += form.explicit_offset ? "_at_all" : "_all";
  if (form.split) name += "_begin/end";
  if (form.large_count) name += "_c";
  return name;
}

int make_call(const CallForm& form, MPI_File file, MPI_Offset offset, void* buffer, int count,
              MPI_Datatype type, MPI_Status* status) {
  const Arguments arguments{file, offset, buffer, count, type, status};
  if (!form.split) {
    return form.large_count ? blocking_large(form, arguments) : blocking(form, arguments);
  }
  const int code =
      form.large_count ? split_begin_large(form, arguments) : split_begin(form, arguments);
  return code != MPI_SUCCESS ? code : split_end(form, arguments);
}

}  // namespace headrace::test
