//===- LoadOptions.cpp - Options for loading a trace ----------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/LoadOptions.h"
#include "core/support/LineWords.h"
#include "core/support/Printable.h"
#include "core/types/TypePrinter.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace rw {

/// The options of formats follow these.
static constexpr OptionSpec Table[] = {
    {"image", 'i', "elf[@addr]",
     "program or library, at that address if it was moved; several times, the "
     "program first"},
    {"force", 0, "", "use images even if they do not fit the trace"},
    {"format", 0, "name", "format of the trace, if it is not recognised"},
    {"index", 0, "path", "path of the index (default: <trace>.rewind)"},
    {"force-index", 0, "", "build the index even if there is a good one"},
    {"no-index", 0, "", "never build it: fail if there is no good one"},
    {"only-index", 0, "", "build it and stop"},
    {"verify", 0, "",
     "compare every byte of the trace with what was indexed, not only size, "
     "time and both ends"},
};

/// What Arm's utilities call the byte order.
static constexpr OptionSpec Aliases[] = {
    {"bi", 0, "", "the same as --big-endian"},
    {"li", 0, "", "the traced CPU's data was little-endian (the default)"},
};

ArrayRef<OptionSpec> loadOptions() {
  static const std::vector<OptionSpec> All = [] {
    std::vector<OptionSpec> Options(std::begin(Table), std::end(Table));
    append_range(Options, formatOptions());
    append_range(Options, Aliases);
    return Options;
  }();
  return All;
}

std::string formatHelp() {
  std::string Text;
  for (const TraceFormat *F : traceFormats())
    Text += formatv("  {0,-17} {1}\n", F->Name, F->Description).str();
  return Text;
}

Expected<IndexOptions> indexOptions(const ParsedOptions &O, bool ShowsValues) {
  IndexOptions I;
  for (StringRef Format : O.values("format"))
    if (!ShowsValues || !parseValueFormat(Format))
      I.Format = Format.str();
  if (!I.Format.empty() && !findFormat(I.Format)) {
    std::string Names;
    for (const TraceFormat *F : traceFormats())
      Names += (Names.empty() ? "" : ", ") + F->Name.str();
    return usageError(
        "there is no format '" + I.Format + "'; there are " + Names +
        (ShowsValues ? ", and of values x, d, u, f, c, s and b (help)" : ""));
  }
  I.IndexPath = O.value("index").value_or("").str();
  if (O.has("index") && I.IndexPath.empty())
    return usageError("--index needs the path of a file");
  I.Force = O.has("force-index");
  I.Never = O.has("no-index");
  I.Verify = O.has("verify");
  bool Big = O.has("big-endian") || O.has("bi");
  if (Big && O.has("li"))
    return usageError("--big-endian and --li contradict each other");
  if (I.Force && I.Never)
    return usageError("--force-index and --no-index contradict each other");
  if (I.Never && O.has("only-index"))
    return usageError("--no-index and --only-index contradict each other");
  for (const OptionSpec &F : formatOptions())
    if (auto Value = O.value(F.Long))
      I.Reader.Settings.set(F, *Value);
  if (Big)
    I.Reader.Settings.set(format_option::BigEndian);
  return I;
}

static std::string withoutTilde(StringRef Path) {
  SmallString<256> Full;
  sys::fs::expand_tilde(Path, Full);
  return Full.str().str();
}

static Expected<ImageOption> imageOption(StringRef Text) {
  ImageOption I;
  auto [Path, Base] = Text.rsplit('@');
  // A file whose name has an '@' is still a file.
  if (Base.empty() || sys::fs::exists(withoutTilde(Text))) {
    I.Path = withoutTilde(Text);
  } else {
    I.Path = withoutTilde(Path);
    I.Base = parseNumber(Base);
    if (!I.Base)
      return usageError("'" + Base + "' in " + Text + " is not an address");
  }
  if (!sys::fs::exists(I.Path))
    return userError("no such image: " + printable(I.Path));
  if (!sys::fs::is_regular_file(I.Path))
    return userError("the image " + printable(I.Path) + " is not a file");
  return I;
}

Expected<std::vector<ImageOption>> imageOptions(const ParsedOptions &Options,
                                                StringRef Name) {
  std::vector<ImageOption> All;
  for (StringRef Text : Options.values(Name)) {
    auto I = imageOption(Text);
    if (!I)
      return I.takeError();
    All.push_back(std::move(*I));
  }
  return All;
}

void placeImages(std::vector<ImageOption> &Images, const TraceHeader &Header) {
  for (ImageOption &I : Images)
    for (const ModuleInfo &M : Header.Modules)
      if (!I.Base && sys::fs::equivalent(I.Path, M.Path))
        I.Base = M.LoadAddress;
}

std::string repeatedOptions(const ParsedOptions &Given) {
  // Images and the index are named otherwise from another folder, and how an
  // index came about is no matter any more.
  constexpr StringLiteral Elsewhere[] = {
      "image", "index", "force-index", "no-index", "only-index", "verify"};
  std::string Text;
  for (const OptionSpec &O : loadOptions()) {
    if (is_contained(Elsewhere, O.Long) || !Given.has(O.Long))
      continue;
    Text += " --" + O.Long.str();
    if (!O.Value.empty())
      Text += " " + quoteWord(*Given.value(O.Long));
  }
  return Text;
}

} // namespace rw
