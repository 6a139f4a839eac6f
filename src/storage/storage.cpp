#include "storage/storage.hpp"
