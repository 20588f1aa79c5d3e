//===- CallerRegisters.cpp - Registers of a frame of calls ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/private/CallerRegisters.h"
#include "core/expr/StoreInput.h"
#include "core/store/TraceStore.h"
#include "core/support/Guarded.h"
#include "lldb/Target/RegisterContext.h"
#include "lldb/Target/Thread.h"
#include "lldb/Utility/RegisterValue.h"
#include <cstdlib>

using namespace lldb;

// What the vtable of a base class needs that liblldb does not export. Of these
// only constructor and destructor are ever called: the class below overrides
// the others.
namespace lldb_private {
RegisterContext::RegisterContext(Thread &T, uint32_t Frame)
    : m_thread(T), m_concrete_frame_idx(Frame), m_stop_id(0) {}
RegisterContext::~RegisterContext() = default;
lldb::ByteOrder RegisterContext::GetByteOrder() { abort(); }
bool RegisterContext::ReadAllRegisterValues(RegisterCheckpoint &) { abort(); }
bool RegisterContext::WriteAllRegisterValues(const RegisterCheckpoint &) {
  abort();
}
uint32_t RegisterContext::ConvertRegisterKindToRegisterNumber(RegisterKind,
                                                              uint32_t) {
  abort();
}
uint32_t RegisterContext::NumSupportedHardwareBreakpoints() { abort(); }
uint32_t RegisterContext::SetHardwareBreakpoint(addr_t, size_t) { abort(); }
bool RegisterContext::ClearHardwareBreakpoint(uint32_t) { abort(); }
uint32_t RegisterContext::NumSupportedHardwareWatchpoints() { abort(); }
uint32_t RegisterContext::SetHardwareWatchpoint(addr_t, size_t, bool, bool) {
  abort();
}
bool RegisterContext::ClearHardwareWatchpoint(uint32_t) { abort(); }
bool RegisterContext::HardwareSingleStep(bool) { abort(); }
Status RegisterContext::ReadRegisterValueFromMemory(
    const lldb_private::RegisterInfo *, addr_t, uint32_t, RegisterValue &) {
  abort();
}
Status
RegisterContext::WriteRegisterValueToMemory(const lldb_private::RegisterInfo *,
                                            addr_t, uint32_t,
                                            const RegisterValue &) {
  abort();
}
tid_t RegisterContext::GetThreadID() const { abort(); }
TargetSP RegisterContext::CalculateTarget() { abort(); }
ProcessSP RegisterContext::CalculateProcess() { abort(); }
ThreadSP RegisterContext::CalculateThread() { abort(); }
StackFrameSP RegisterContext::CalculateStackFrame() { abort(); }
void RegisterContext::CalculateExecutionContext(ExecutionContext &) { abort(); }
} // namespace lldb_private

namespace {

using namespace lldb_private;

class CallerRegisters final : public RegisterContext {
public:
  CallerRegisters(Thread &T, uint32_t Frame, uint64_t PC,
                  const rw::TraceStore &Store, rw::RegistersBefore Read)
      : RegisterContext(T, Frame), PC(PC), Store(Store), Read(std::move(Read)),
        Innermost(T.GetRegisterContext()) {
    SetStopID(Innermost->GetStopID());
  }

  void InvalidateAllRegisters() override {}
  size_t GetRegisterCount() override { return Innermost->GetRegisterCount(); }
  const lldb_private::RegisterInfo *GetRegisterInfoAtIndex(size_t I) override {
    return Innermost->GetRegisterInfoAtIndex(I);
  }
  size_t GetRegisterSetCount() override {
    return Innermost->GetRegisterSetCount();
  }
  const lldb_private::RegisterSet *GetRegisterSet(size_t I) override {
    return Innermost->GetRegisterSet(I);
  }
  lldb::ByteOrder GetByteOrder() override { return Innermost->GetByteOrder(); }
  bool ReadRegister(const lldb_private::RegisterInfo *R,
                    RegisterValue &Value) override;
  bool WriteRegister(const lldb_private::RegisterInfo *,
                     const RegisterValue &) override {
    return false;
  }
  using RegisterContext::ReadAllRegisterValues;
  using RegisterContext::WriteAllRegisterValues;
  bool ReadAllRegisterValues(RegisterCheckpoint &) override { return false; }
  bool WriteAllRegisterValues(const RegisterCheckpoint &) override {
    return false;
  }
  uint32_t ConvertRegisterKindToRegisterNumber(RegisterKind Kind,
                                               uint32_t Number) override {
    return Innermost->ConvertRegisterKindToRegisterNumber(Kind, Number);
  }
  uint32_t NumSupportedHardwareBreakpoints() override { return 0; }
  uint32_t SetHardwareBreakpoint(addr_t, size_t) override {
    return LLDB_INVALID_INDEX32;
  }
  bool ClearHardwareBreakpoint(uint32_t) override { return false; }
  uint32_t NumSupportedHardwareWatchpoints() override { return 0; }
  uint32_t SetHardwareWatchpoint(addr_t, size_t, bool, bool) override {
    return LLDB_INVALID_INDEX32;
  }
  bool ClearHardwareWatchpoint(uint32_t) override { return false; }
  bool HardwareSingleStep(bool) override { return false; }
  Status ReadRegisterValueFromMemory(const lldb_private::RegisterInfo *R,
                                     addr_t From, uint32_t Size,
                                     RegisterValue &Value) override {
    return Innermost->ReadRegisterValueFromMemory(R, From, Size, Value);
  }
  Status WriteRegisterValueToMemory(const lldb_private::RegisterInfo *R,
                                    addr_t To, uint32_t Size,
                                    const RegisterValue &Value) override {
    return Innermost->WriteRegisterValueToMemory(R, To, Size, Value);
  }
  tid_t GetThreadID() const override { return m_thread.GetID(); }
  TargetSP CalculateTarget() override { return m_thread.CalculateTarget(); }
  ProcessSP CalculateProcess() override { return m_thread.CalculateProcess(); }
  ThreadSP CalculateThread() override { return m_thread.CalculateThread(); }
  // Calls inlined in a frame share its registers.
  StackFrameSP CalculateStackFrame() override { return nullptr; }
  void CalculateExecutionContext(ExecutionContext &Context) override {
    m_thread.CalculateExecutionContext(Context);
  }

private:
  const uint64_t PC;
  const rw::TraceStore &Store;
  const rw::RegistersBefore Read;
  std::optional<rw::RegisterState> State; ///< once something was read
  const RegisterContextSP Innermost;
};

/// What LLDB keeps to itself. Its functions that fill in bytes are not
/// exported.
struct Bytes : RegisterValue {
  static void set(RegisterValue &Value, llvm::ArrayRef<uint8_t> From,
                  lldb::ByteOrder Order) {
    Value.SetType(eTypeBytes);
    (Value.*&Bytes::buffer).bytes.assign(From.begin(), From.end());
    (Value.*&Bytes::buffer).byte_order = Order;
  }
};

bool CallerRegisters::ReadRegister(const lldb_private::RegisterInfo *R,
                                   RegisterValue &Value) {
  if (!R)
    return false;
  if (R->kinds[eRegisterKindGeneric] == LLDB_REGNUM_GENERIC_PC) {
    if (R->byte_size == 4)
      Value = uint32_t(PC);
    else
      Value = PC;
    return true;
  }
  const uint32_t Number = R->kinds[eRegisterKindProcessPlugin];
  auto Registers = Store.registerFile().registers();
  // The position, time and end of the trace are those of the stop.
  if (Number >= Registers.size())
    return Innermost->ReadRegister(R, Value);
  if (!Read)
    return false;
  if (!State) {
    llvm::Error E = rw::guarded([&]() -> llvm::Error {
      auto Then = Read();
      if (!Then)
        return Then.takeError();
      State = std::move(*Then);
      return llvm::Error::success();
    });
    if (E) {
      llvm::consumeError(std::move(E));
      return false;
    }
  }
  const rw::RegisterSlice Slice = Registers[Number].Slice;
  llvm::SmallVector<uint8_t, 32> Raw(Slice.Size);
  if (Registers[Number].IsPC || Slice.Size != R->byte_size ||
      !State->read(Slice, Raw.data()))
    return false;
  if (R->encoding == eEncodingUint && Slice.Size <= 8) {
    uint64_t Bits = 0;
    for (unsigned I = 0; I < Slice.Size; ++I)
      Bits |= uint64_t(Raw[I]) << 8 * I;
    Value.SetUInt64(Bits, Slice.Size == 1   ? RegisterValue::eTypeUInt8
                          : Slice.Size == 2 ? RegisterValue::eTypeUInt16
                          : Slice.Size == 4 ? RegisterValue::eTypeUInt32
                                            : RegisterValue::eTypeUInt64);
    return true;
  }
  if (R->encoding == eEncodingIEEE754 && Slice.Size == 4) {
    float F;
    memcpy(&F, Raw.data(), 4);
    Value = F;
    return true;
  }
  if (R->encoding == eEncodingIEEE754 && Slice.Size == 8) {
    double D;
    memcpy(&D, Raw.data(), 8);
    Value = D;
    return true;
  }
  const bool Big = rw::isBigEndian(Store.header());
  if (Big)
    std::reverse(Raw.begin(), Raw.end());
  Bytes::set(Value, Raw, Big ? eByteOrderBig : eByteOrderLittle);
  return true;
}

} // namespace

RegisterContextSP rw::makeCallerRegisters(Thread &Thread, uint32_t Frame,
                                          uint64_t PC, const TraceStore &Store,
                                          RegistersBefore State) {
  return std::make_shared<CallerRegisters>(Thread, Frame, PC, Store,
                                           std::move(State));
}
