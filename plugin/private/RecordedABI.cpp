//===- RecordedABI.cpp - Conventions of a program without values ----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/private/RecordedABI.h"
#include "lldb/API/SBProcess.h"
#include "lldb/Target/ABI.h"
#include "lldb/Target/Process.h"
#include "plugin/private/PrivateLLDB.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/TargetParser/Triple.h"

using namespace lldb;

namespace rw {
struct ProcessABI {
  typedef ABISP lldb_private::Process::*type;
  friend type memberOf(ProcessABI);
};
template struct Expose<ProcessABI, &lldb_private::Process::m_abi_sp>;

struct ReturnValue {
  typedef ValueObjectSP (lldb_private::ABI::*type)(
      lldb_private::Thread &, lldb_private::CompilerType &) const;
  friend type memberOf(ReturnValue);
};
template struct Expose<ReturnValue,
                       &lldb_private::ABI::GetReturnValueObjectImpl>;
} // namespace rw

// What the vtable of a base class needs that liblldb does not export. None of
// these is ever called: the class below overrides them all.
namespace lldb_private {
ABI::~ABI() = default;
bool ABI::PrepareTrivialCall(Thread &, addr_t, addr_t, addr_t, llvm::Type &,
                             llvm::ArrayRef<CallArgument>) const {
  return false;
}
ValueObjectSP ABI::GetReturnValueObjectImpl(Thread &, llvm::Type &) const {
  return nullptr;
}
bool ABI::GetFallbackRegisterLocation(
    const RegisterInfo *, UnwindPlan::Row::AbstractRegisterLocation &) {
  return false;
}
addr_t ABI::FixCodeAddress(addr_t A) { return A; }
addr_t ABI::FixDataAddress(addr_t A) { return A; }
} // namespace lldb_private

namespace {

using namespace lldb_private;

/// Another ABI, as far as a recording has what it needs.
class RecordedABI final : public ABI {
public:
  RecordedABI(ProcessSP Process, ABISP Real, bool Values,
              std::unique_ptr<llvm::MCRegisterInfo> Registers)
      : ABI(Process, std::move(Registers)), Real(std::move(Real)),
        Values(Values) {}

  llvm::StringRef GetPluginName() override { return Real->GetPluginName(); }
  size_t GetRedZoneSize() const override { return Real->GetRedZoneSize(); }
  bool PrepareTrivialCall(Thread &, addr_t, addr_t, addr_t,
                          llvm::ArrayRef<addr_t>) const override {
    return false; // a recording calls nothing
  }
  bool PrepareTrivialCall(Thread &, addr_t, addr_t, addr_t, llvm::Type &,
                          llvm::ArrayRef<CallArgument>) const override {
    return false;
  }
  bool GetArgumentValues(Thread &T, ValueList &List) const override {
    return Values && Real->GetArgumentValues(T, List);
  }
  Status SetReturnValueObject(StackFrameSP &Frame,
                              ValueObjectSP &Value) override {
    return Real->SetReturnValueObject(Frame, Value);
  }
  UnwindPlanSP CreateFunctionEntryUnwindPlan() override {
    return Real->CreateFunctionEntryUnwindPlan();
  }
  UnwindPlanSP CreateDefaultUnwindPlan() override {
    return Real->CreateDefaultUnwindPlan();
  }
  bool RegisterIsVolatile(const lldb_private::RegisterInfo *R) override {
    return Real->RegisterIsVolatile(R);
  }
  bool GetFallbackRegisterLocation(
      const lldb_private::RegisterInfo *R,
      UnwindPlan::Row::AbstractRegisterLocation &Where) override {
    return Real->GetFallbackRegisterLocation(R, Where);
  }
  bool CallFrameAddressIsValid(addr_t A) override {
    return Real->CallFrameAddressIsValid(A);
  }
  bool CodeAddressIsValid(addr_t A) override {
    return Real->CodeAddressIsValid(A);
  }
  addr_t FixCodeAddress(addr_t A) override { return Real->FixCodeAddress(A); }
  /// LLDB passes the frame address when it makes the id of a frame. The id
  /// keeps it twice: as it was, for expressions of the debug information, and
  /// as it comes from here, to compare frames.
  addr_t FixDataAddress(addr_t A) override {
    const rw::ToldFrame &Told = rw::toldFrame();
    return A == Told.Address ? Told.Id : Real->FixDataAddress(A);
  }
  addr_t FixAnyAddress(addr_t A) override { return Real->FixAnyAddress(A); }
  void
  AugmentRegisterInfo(std::vector<DynamicRegisterInfo::Register> &R) override {
    Real->AugmentRegisterInfo(R);
  }
  bool GetPointerReturnRegister(const char *&Name) override {
    return Real->GetPointerReturnRegister(Name);
  }
  uint64_t GetStackFrameSize() override { return Real->GetStackFrameSize(); }

protected:
  ValueObjectSP GetReturnValueObjectImpl(Thread &T,
                                         CompilerType &Type) const override {
    return Values ? (Real.get()->*memberOf(rw::ReturnValue()))(T, Type)
                  : nullptr;
  }
  ValueObjectSP GetReturnValueObjectImpl(Thread &,
                                         llvm::Type &) const override {
    return nullptr;
  }

private:
  const ABISP Real;
  const bool Values;
};

} // namespace

rw::ToldFrame &rw::toldFrame() {
  static thread_local ToldFrame Told;
  return Told;
}

void rw::useRecordedABI(SBTarget Target, bool Values) {
  if (!privateLLDB())
    return;
  ProcessSP P = processOf(Target.GetProcess());
  if (!P)
    return;
  ABISP &Slot = P.get()->*memberOf(ProcessABI());
  std::string Problem;
  llvm::Triple Name(Target.GetTriple());
  const llvm::Target *T = llvm::TargetRegistry::lookupTarget(Name, Problem);
  if (Slot && T)
    Slot = std::make_shared<RecordedABI>(
        P, Slot, Values,
        std::unique_ptr<llvm::MCRegisterInfo>(T->createMCRegInfo(Name)));
}
