//===- Tools.h - Commands as tools of an agent ------------------*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_MCP_TOOLS_H
#define REWIND_COMMANDS_MCP_TOOLS_H

#include "commands/support/CommandHost.h"
#include "llvm/Support/JSON.h"

namespace rw {

/// The name of \p C as a tool: "calls_tree".
std::string toolName(const Command &C);
/// Who calls tools: an agent, of which each call is on its own, or the user of
/// a debugger, which stands somewhere and is moved by some of them.
enum class ToolUser { Agent, Debugger };

/// What a command does to where one stands, whatever its options are.
enum class MoveKind {
  Stays,
  Moves,     ///< where nothing can move it tells the place
  OnlyMoves, ///< where nothing can move it makes no sense
};
MoveKind moving(const Command &C);

/// The command of that name, with - or _ between words, among those that only
/// answer; null if there is none.
const Command *findTool(llvm::StringRef Name, ToolUser For);
/// "; did you mean 'x'?" for a name that findTool() does not know, or nothing.
std::string nearTools(llvm::StringRef Name, ToolUser For);

/// What "tools/list" of the Model Context Protocol says: names, descriptions
/// and JSON schemas of the arguments, from the registry.
llvm::json::Array describeTools();

/// What a call of the tool asks for.
struct ToolCall {
  const Command *What = nullptr;
  std::vector<std::string> Words; ///< of its command line, without its name
  uint64_t Page = 1;
};
/// Checks \p Arguments, an object of the tool's schema.
llvm::Expected<ToolCall>
toolCall(const Command &C, const llvm::json::Object *Arguments, ToolUser For);

/// Takes in text and keeps one page of it, whole lines if they are not too
/// long, so that the memory does not grow with an answer.
class PageStream final : public llvm::raw_ostream {
public:
  PageStream(uint64_t Page, size_t PageBytes)
      : Page(Page), PageBytes(PageBytes) {
    SetUnbuffered();
  }
  ~PageStream() override = default;

  /// The page; empty if there are not so many.
  llvm::StringRef text() const { return Text; }
  /// There is a page behind it.
  bool more() const { return Current > Page; }

private:
  const uint64_t Page;
  const size_t PageBytes;
  uint64_t Current = 1; ///< the page that text goes to now
  size_t Filled = 0;    ///< bytes of that page
  uint64_t Written = 0;
  std::string Line, Text;

  void endLine();
  void write_impl(const char *Data, size_t Size) override;
  uint64_t current_pos() const override { return Written; }

public:
  /// What is written after this is not counted: call it once all is there.
  void finish() { endLine(); }
};

} // namespace rw

#endif // REWIND_COMMANDS_MCP_TOOLS_H
