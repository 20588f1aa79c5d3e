//===- KnownFile.cpp - Files that nobody wants to lose --------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/KnownFile.h"
#include "core/formats/TraceFormat.h"
#include "core/htr/HtrFormat.h"
#include "core/store/Format.h"
#include "core/support/InputFile.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/BinaryFormat/Magic.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace rw {

/// The files of a bundle have names of their own and nothing in them that tells
/// what they are.
static bool isPartOfBundle(StringRef Path) {
  SmallString<256> Json(sys::path::parent_path(Path));
  sys::path::append(Json, "trace.json");
  return sys::fs::exists(Json) &&
         any_of(companionFiles(Json), [&](const std::string &File) {
           return sys::fs::equivalent(File, Path);
         });
}

Expected<std::string> knownFileBut(StringRef Own, StringRef Path) {
  if (Error E = checkRegular(Path))
    return E;
  auto In = InputStream::open(Path);
  if (!In)
    return In.takeError();
  auto Head = (*In)->peek(SniffedBytes);
  if (!Head)
    return Head.takeError();
  const StringRef Text = toStringRef(*Head);
  if (Text.starts_with(StringRef(format::Magic, sizeof(format::Magic))))
    return "an index";
  if (Text.starts_with(
          StringRef(htr::format::Magic, sizeof(htr::format::Magic))))
    return "a file of layers";
  if (identify_magic(Text) >= file_magic::elf &&
      identify_magic(Text) <= file_magic::elf_core)
    return "an ELF file";
  if (Path.ends_with(".bookmarks") && Text.ltrim().starts_with("["))
    return "a file of bookmarks";
  if (isPartOfBundle(Path))
    return "a part of a trace";
  if (Head->empty())
    return "";
  const TraceFormat *Format = recogniseFormat(Path, *Head);
  if (!Format || (Format->Name == Own && (*In)->compression().empty()))
    return "";
  return ("a trace (" + Format->Name + ")").str();
}

Expected<std::string> knownFile(StringRef Path) {
  return knownFileBut("", Path);
}

} // namespace rw
