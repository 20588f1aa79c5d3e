//===- HiddenData.h - What a program's data was before it ran ---*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_PLUGIN_PRIVATE_HIDDENDATA_H
#define REWIND_PLUGIN_PRIVATE_HIDDENDATA_H

#include "lldb/API/SBTarget.h"
#include <memory>
#include <vector>

namespace rw {

/// Where a process does not tell some memory, LLDB reads the initial contents
/// of the section from the image file instead, and shows zeros for .bss. In a
/// recording that has no memory values that would be a lie about every
/// variable. While this lives, LLDB finds no contents in the writable sections
/// of the modules. Modules are shared by the targets of a debugger, so it holds
/// for those, too. Does nothing in another LLDB than the one we know.
class HiddenData {
public:
  explicit HiddenData(lldb::SBTarget Target);
  ~HiddenData();
  HiddenData(const HiddenData &) = delete;
  HiddenData &operator=(const HiddenData &) = delete;

private:
  struct Hidden;
  std::vector<std::shared_ptr<Hidden>> Sections;
};

} // namespace rw

#endif // REWIND_PLUGIN_PRIVATE_HIDDENDATA_H
