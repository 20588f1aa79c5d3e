//===- Image.h - The code that was traced -----------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_FORMATS_INTELPT_IMAGE_H
#define REWIND_FORMATS_INTELPT_IMAGE_H

#include "core/formats/intelpt/ElfModule.h"
#include "core/formats/intelpt/Recording.h"
#include "core/model/ItemBatch.h"
#include "core/model/NonlocalTargets.h"
#include "llvm/ADT/ArrayRef.h"
#include <memory>

namespace rw::intelpt {

/// The executable segments of all modules at their addresses. They are copied
/// once into an anonymous file, so that libipt and our own decoder see the same
/// bytes whatever happens to the modules' files meanwhile. Immutable after
/// load(); safe to share between threads.
class Image {
public:
  Image();
  ~Image();
  Image(Image &&) noexcept;
  Image &operator=(Image &&) noexcept;

  /// A module that is missing, cannot be read or is of another build is an
  /// error that names it; with \p Tolerate it is left out, and noted.
  static llvm::Expected<Image> load(llvm::ArrayRef<ModuleSpec> Modules,
                                    bool Tolerate);

  /// What is mapped from \p Address on, at most \p Size bytes.
  llvm::ArrayRef<uint8_t> bytes(uint64_t Address, size_t Size) const;

  /// The function that \p Address lies in, as far as unwind tables and symbols
  /// tell.
  const FunctionRange *functionAt(uint64_t Address) const;

  /// Whether there is code in the same 64 KiB.
  bool isNear(uint64_t Address) const;

  /// For one decoder at a time: libipt's view, with its own cache of blocks.
  class View {
  public:
    View() = default;
    ~View();
    View(View &&) noexcept;
    View &operator=(View &&O) noexcept {
      std::swap(Cache, O.Cache);
      std::swap(I, O.I);
      return *this;
    }
    pt_image *get() const { return I; }

  private:
    friend class Image;
    pt_image_section_cache *Cache = nullptr;
    pt_image *I = nullptr;
  };
  llvm::Expected<View> view() const;

  llvm::ArrayRef<ModuleInfo> modules() const { return Modules; }
  llvm::ArrayRef<std::string> missing() const { return Missing; }
  const NonlocalTargets &nonlocal() const { return Nonlocal; }

private:
  void addTables(const ElfModule &M, uint64_t Slide);
  struct Section {
    uint64_t Address = 0, Size = 0;
    uint64_t FileOffset = 0; ///< in the anonymous file
  };
  std::vector<Section> Sections; ///< ascending, disjoint
  std::vector<ModuleInfo> Modules;
  std::vector<std::string> Missing;
  NonlocalTargets Nonlocal;
  std::vector<FunctionRange> Functions; ///< ascending, disjoint
  struct Storage;
  std::unique_ptr<Storage> Code;
};

} // namespace rw::intelpt

#endif // REWIND_FORMATS_INTELPT_IMAGE_H
