//===- Launch.cpp - What a launch configuration asks for ------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/dap/Launch.h"
#include "commands/support/Options.h"
#include "core/support/LineWords.h"
#include "core/support/Printable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include <climits>

using namespace llvm;

namespace rw::dap {

bool loadsTrace(const json::Object &Arguments) {
  if (Arguments.get("trace"))
    return true;
  for (StringRef Key : {"initCommands", "preRunCommands", "attachCommands",
                        "launchCommands", "postRunCommands"})
    if (const json::Array *Commands = Arguments.getArray(Key))
      for (const json::Value &C : *Commands)
        if (C.getAsString().value_or("").contains("rewind load"))
          return true;
  return false;
}

std::vector<std::pair<std::string, std::string>>
sourceMap(const json::Object &Arguments) {
  // A list of pairs, or an object.
  std::vector<std::pair<std::string, std::string>> Map;
  if (const json::Array *Pairs = Arguments.getArray("sourceMap")) {
    for (const json::Value &V : *Pairs)
      if (const json::Array *Pair = V.getAsArray(); Pair && Pair->size() == 2)
        Map.emplace_back((*Pair)[0].getAsString().value_or(""),
                         (*Pair)[1].getAsString().value_or(""));
  } else if (const json::Object *Pairs = Arguments.getObject("sourceMap")) {
    for (const auto &[From, To] : *Pairs)
      Map.emplace_back(From.str(), To.getAsString().value_or(""));
  }
  return Map;
}

std::string filePath(StringRef Path) {
  if (!Path.consume_front("file://"))
    return Path.str();
  std::string File;
  for (size_t I = 0; I < Path.size(); ++I) {
    uint8_t Byte;
    if (Path[I] == '%' && I + 2 < Path.size() &&
        tryGetHexFromNibbles(Path[I + 1], Path[I + 2], Byte)) {
      File += char(Byte);
      I += 2;
    } else {
      File += Path[I];
    }
  }
  return File;
}

/// A string that names a file; empty if the key is not there.
static Expected<std::string> fileName(const json::Value &V, StringRef Key) {
  auto Text = V.getAsString();
  if (!Text || Text->empty())
    return userError("\"" + Key + "\" is the path of a file");
  if (Text->size() >= PATH_MAX)
    return userError("\"" + Key + "\" has " + Twine(Text->size()) +
                     " bytes; a path has at most " + Twine(PATH_MAX - 1));
  if (Text->contains('\0'))
    return userError("\"" + Key + "\": " + printable(Text->take_front(100)) +
                     " has a zero byte in it, which no file's name has");
  // lldb-dap repeats commands, and takes each of their lines for one.
  if (Text->find_first_of("\n\r") != StringRef::npos)
    return userError("\"" + Key + "\": " + printable(*Text) +
                     " has a line end in it, which a debug console cannot "
                     "tell: rename the file or its folder");
  // An option begins so.
  return (Text->starts_with("-") ? "./" : "") + Text->str();
}

/// The file of an image "elf@0x1000".
static StringRef withoutAddress(StringRef Image) {
  auto [Path, Base] = Image.rsplit('@');
  return Base.empty() || sys::fs::exists(Image) ? Image : Path;
}

Error takeTrace(json::Object &Arguments, StringRef Plugin) {
  const json::Value *Trace = Arguments.get("trace");
  if (!Trace)
    return Error::success();
  auto Path = fileName(*Trace, "trace");
  if (!Path)
    return Path.takeError();
  // A bundle of Intel PT is a folder.
  if (!sys::fs::is_regular_file(*Path) && !sys::fs::is_directory(*Path))
    return userError(
        "the trace " + printable(*Path) +
        (sys::fs::exists(*Path) ? " is not a file" : " does not exist"));
  std::string Load = "rewind load " + quoteWord(*Path);
  std::vector<std::string> Images;
  for (StringRef Key : {"program", "image", "images"}) {
    const json::Value *V = Arguments.get(Key);
    if (!V)
      continue;
    json::Array One;
    const json::Array *List = V->getAsArray();
    if (!List) {
      One.push_back(*V);
      List = &One;
    }
    for (const json::Value &Item : *List) {
      auto Image = fileName(Item, Key);
      if (!Image)
        return Image.takeError();
      if (!sys::fs::is_regular_file(withoutAddress(*Image)))
        return userError("\"" + Key + "\": no such file: " + printable(*Image));
      if (!is_contained(Images, *Image))
        Images.push_back(*Image);
    }
  }
  for (const std::string &Image : Images)
    Load += " --image " + quoteWord(Image);
  if (const json::Value *Index = Arguments.get("index")) {
    auto File = fileName(*Index, "index");
    if (!File)
      return File.takeError();
    Load += " --index " + quoteWord(*File);
  }
  if (const json::Value *More = Arguments.get("loadOptions")) {
    const json::Array *List = More->getAsArray();
    if (!List)
      return userError("\"loadOptions\" is an array of strings");
    for (const json::Value &Option : *List) {
      auto Word = Option.getAsString();
      if (!Word)
        return userError("\"loadOptions\" is an array of strings");
      if (Word->contains('\0'))
        return userError(
            "\"loadOptions\": " + printable(Word->take_front(100)) +
            " has a zero byte in it");
      if (*Word == "--only-index")
        return userError("\"loadOptions\": --only-index would load nothing; "
                         "'rewind index' makes an index");
      Load += " " + quoteWord(*Word);
    }
  }
  json::Array Commands{"plugin load " + quoteWord(Plugin), std::move(Load)};
  for (StringRef Key : {"launchCommands", "attachCommands"})
    if (const json::Array *Own = Arguments.getArray(Key))
      append_range(Commands, *Own);
  for (StringRef Key : {"trace", "program", "image", "images", "index",
                        "loadOptions", "launchCommands", "args", "env", "cwd"})
    Arguments.erase(Key);
  Arguments["attachCommands"] = std::move(Commands);
  // A recording that runs off at once is at its end before anybody looks.
  Arguments.try_emplace("stopOnEntry", true);
  return Error::success();
}

} // namespace rw::dap
