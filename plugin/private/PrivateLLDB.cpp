//===- PrivateLLDB.cpp - Access to LLDB's insides -------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/private/PrivateLLDB.h"
#include "lldb/API/SBDebugger.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Config/llvm-config.h"

using namespace lldb;

std::string rw::otherLLDB() {
  llvm::StringRef Running = SBDebugger::GetVersionString();
  llvm::StringRef Number =
      Running.split("version ").second.take_while([](char C) {
        return C == '.' || (C >= '0' && C <= '9');
      });
  if (Number == LLVM_VERSION_STRING)
    return "";
  return "built for LLDB " LLVM_VERSION_STRING ", running in " + Number.str();
}

namespace {
struct OpenProcess : SBProcess {
  explicit OpenProcess(const SBProcess &P) : SBProcess(P) {}
  ProcessSP get() const { return SBProcess::GetSP(); }
};
struct OpenTarget : SBTarget {
  explicit OpenTarget(const SBTarget &T) : SBTarget(T) {}
  explicit OpenTarget(const TargetSP &T) : SBTarget(T) {}
  TargetSP get() const { return SBTarget::GetSP(); }
};
} // namespace

namespace rw {
// Private in SBThread, so no derived class sees it.
struct ImplOfThread {
  typedef ThreadSP (SBThread::*type)() const;
  friend type memberOf(ImplOfThread);
};
template struct Expose<ImplOfThread, &SBThread::GetSP>;

struct SetFrame {
  typedef void (SBFrame::*type)(const StackFrameSP &);
  friend type memberOf(SetFrame);
};
template struct Expose<SetFrame, &SBFrame::SetFrameSP>;
} // namespace rw

ThreadSP rw::threadOf(SBThread Thread) {
  return (Thread.*memberOf(ImplOfThread()))();
}

ProcessSP rw::processOf(SBProcess Process) {
  return OpenProcess(Process).get();
}

TargetSP rw::targetOf(SBTarget Target) { return OpenTarget(Target).get(); }

SBTarget rw::publicTarget(const TargetSP &Target) { return OpenTarget(Target); }

SBFrame rw::publicFrame(const StackFrameSP &Frame) {
  SBFrame Public;
  (Public.*memberOf(SetFrame()))(Frame);
  return Public;
}
