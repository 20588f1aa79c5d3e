//===- HiddenData.cpp - What a program's data was before it ran -----------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "plugin/private/HiddenData.h"
#include "lldb/API/SBModule.h"
#include "lldb/API/SBSection.h"
#include "lldb/Core/Section.h"
#include "plugin/private/PrivateLLDB.h"
#include <map>
#include <mutex>

using namespace lldb;

namespace rw {
struct SectionKind {
  typedef SectionType lldb_private::Section::*type;
  friend type memberOf(SectionKind);
};
template struct Expose<SectionKind, &lldb_private::Section::m_type>;

struct SectionOf {
  typedef SectionSP (SBSection::*type)() const;
  friend type memberOf(SectionOf);
};
template struct Expose<SectionOf, &SBSection::GetSP>;
} // namespace rw

namespace {
/// What is hidden now; several traces may hide the same.
struct HiddenSections {
  std::mutex Mutex;
  std::map<lldb_private::Section *, std::weak_ptr<void>> Sections;
};
HiddenSections &hiddenSections() {
  static HiddenSections *R = new HiddenSections;
  return *R;
}
} // namespace

struct rw::HiddenData::Hidden {
  SectionSP Section;
  const lldb::offset_t FileSize;
  const SectionType Type;

  explicit Hidden(SectionSP S)
      : Section(S), FileSize(S->GetFileSize()), Type(S->GetType()) {
    Section->SetFileSize(0);
    if (Type == eSectionTypeZeroFill)
      Section.get()->*memberOf(rw::SectionKind()) = eSectionTypeOther;
  }
  ~Hidden() {
    Section->SetFileSize(FileSize);
    Section.get()->*memberOf(rw::SectionKind()) = Type;
  }
};

rw::HiddenData::HiddenData(SBTarget Target) {
  if (!privateLLDB())
    return;
  auto Hide = [&](auto &Self, SBSection Section) -> void {
    for (size_t I = 0; I < Section.GetNumSubSections(); ++I)
      Self(Self, Section.GetSubSectionAtIndex(I));
    if (!(Section.GetPermissions() & ePermissionsWritable))
      return;
    SectionSP S = (Section.*memberOf(rw::SectionOf()))();
    if (!S)
      return;
    std::weak_ptr<void> &Slot = hiddenSections().Sections[S.get()];
    auto Shared = std::static_pointer_cast<Hidden>(Slot.lock());
    if (!Shared) {
      Shared = std::make_shared<Hidden>(S);
      Slot = Shared;
    }
    Sections.push_back(std::move(Shared));
  };
  std::lock_guard<std::mutex> Lock(hiddenSections().Mutex);
  for (uint32_t M = 0; M < Target.GetNumModules(); ++M) {
    SBModule Module = Target.GetModuleAtIndex(M);
    for (size_t I = 0; I < Module.GetNumSections(); ++I)
      Hide(Hide, Module.GetSectionAtIndex(I));
  }
}

rw::HiddenData::~HiddenData() {
  std::lock_guard<std::mutex> Lock(hiddenSections().Mutex);
  Sections.clear();
  std::erase_if(hiddenSections().Sections,
                [](const auto &E) { return E.second.expired(); });
}
