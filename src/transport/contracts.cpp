#include "transport/messenger.hpp"
#include "transport/node_memory.hpp"
#include "transport/waiter.hpp"
