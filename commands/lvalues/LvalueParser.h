//===- LvalueParser.h - Names, members and elements, by DWARF ---*- C++ -*-===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef REWIND_COMMANDS_LVALUES_LVALUEPARSER_H
#define REWIND_COMMANDS_LVALUES_LVALUEPARSER_H

#include "commands/lvalues/FrameState.h"
#include "commands/lvalues/ImageExpressions.h"
#include "commands/support/Session.h"
#include "core/support/Words.h"
#include "core/types/LibraryValue.h"

namespace rw {

/// An object of the program: its type, and where it is.
struct Lvalue {
  llvm::DWARFDie Type;
  TypeRef Number; ///< in place of Type: the program has none like it
  /// A cast made it a pointer to a pointer ... to Type, so many.
  unsigned Pointers = 0;
  unsigned Dimension = 0; ///< of an array: how many indexes it has had
  VariablePlace At;
  uint64_t Offset = 0; ///< of a part, in bytes from the beginning of At
  unsigned FieldLo = 0, FieldWidth = 0;
  uint64_t FieldSize = 0; ///< bytes that hold the field
  struct Element {
    llvm::StringRef Computed; ///< the index, if it is no number
    int64_t Index;            ///< what it is now
    uint64_t Each;            ///< bytes of an element
  };
  /// Those of Offset whose indexes were computed.
  llvm::SmallVector<Element, 1> Elements;
};

/// Where the bracket is closed that is open before \p Text; npos: nowhere.
size_t closedAt(llvm::StringRef Text, char Open, char Close);
/// How long the brackets that \p Text begins with are; all of it, if they are
/// not closed.
size_t bracketed(llvm::StringRef Text);
/// The operand of a cast that \p Text begins with, or what may be one: signs
/// and other casts, a name, number or bracket, and what binds closer.
llvm::StringRef castOperand(llvm::StringRef Text);

/// Reads one expression at one place, by recursive descent. The grammar is in
/// LvalueParser.cpp, what names mean in LvalueNames.cpp, types in
/// LvalueTypes.cpp, casts in LvalueCasts.cpp, what is a part of what in
/// LvalueParts.cpp, places and bytes in LvaluePlaces.cpp, and operands of
/// expressions of C in LvalueOperands.cpp.
class LvalueParser final : public OperandSource {
public:
  LvalueParser(ImageExpressions &Source, llvm::StringRef Text, Place At)
      : Source(Source), S(Source.S), Text(Text), Rest(Text), At(At),
        Suggests(Source.Suggests) {}

  llvm::Expected<Lvalue> run();
  /// See ImageExpressions::fixedVariable(), which tells of \p PC.
  llvm::Expected<std::optional<uint64_t>> fixed(uint64_t PC, unsigned Inlined);
  /// Its type: no place and no value is looked for.
  TypeRef type();
  /// Whether it is a name as ExpressionSource::isLocal() has it.
  bool isLocal();
  /// The enumerator of that name; null if there is none.
  llvm::Expected<const TypeIndex::Enumerator *>
  enumerator(llvm::StringRef Name);
  /// What one can name in the frame: see ExpressionSource::variables().
  llvm::Expected<std::vector<std::string>> locals();
  llvm::Expected<Operand> operand(llvm::StringRef Text) override;
  llvm::Expected<Operand> sizeOf(llvm::StringRef Text) override;
  std::optional<DataType> type(llvm::StringRef Name) override;
  std::optional<bool> signedChar() override;
  bool castsAhead(llvm::StringRef Ahead) override;
  llvm::Expected<Operand> sumOf(llvm::StringRef Text) override;
  llvm::Expected<Location> location(const Lvalue &L) const;
  /// How location()'s address is found again wherever the same is asked at the
  /// same instruction; none if that takes as much as to ask again.
  std::optional<AddressRecipe> recipe(const Lvalue &L, uint64_t Size) const;
  /// Whether all but addresses in memory is the same there.
  bool isFixed() const { return Fixed; }
  llvm::Expected<Location> unplaced(const Lvalue &L) const;
  /// Its bytes, from wherever they are.
  llvm::Expected<Value> value(const Lvalue &L) const;

private:
  llvm::Expected<Lvalue> unary();
  llvm::Expected<Lvalue> postfix();
  llvm::Expected<Lvalue> pointedMember(Lvalue L);
  llvm::Expected<Lvalue> primary();
  struct CastTo {
    llvm::DWARFDie Type; ///< none: void
    TypeRef Number;      ///< as Lvalue has it
    unsigned Pointers = 0;
  };
  llvm::Expected<std::optional<CastTo>> castAhead();
  llvm::Expected<std::optional<Lvalue>> typeAlone();
  llvm::Expected<std::optional<CastTo>> castType(char Closer,
                                                 bool Alone = false);
  llvm::Expected<llvm::DWARFDie> namedType(llvm::StringRef Name,
                                           llvm::StringRef Keyword);
  llvm::Expected<Lvalue> cast(CastTo To, llvm::StringRef Its, bool Converts);
  llvm::Expected<Lvalue> namedCast(llvm::StringRef Name);
  llvm::Expected<Lvalue> addressed();
  llvm::Expected<Lvalue> sum(Lvalue L, llvm::StringRef Its);
  llvm::Expected<Lvalue> difference(uint64_t From, uint64_t Each);
  Lvalue constant(const CastTo &To, uint64_t N,
                  std::optional<AddressRecipe> How) const;
  /// A pointer as a number.
  struct PointerValue {
    uint64_t Value = 0;
    std::optional<AddressRecipe> How;
    bool IsNumber = false; ///< its type is no pointer
    /// What it points to: as Lvalue has it.
    llvm::DWARFDie To;
    TypeRef Number;
    unsigned More = 0, Dimension = 0;
  };
  llvm::Expected<PointerValue> pointer(const Lvalue &L, bool Address);
  llvm::Expected<uint64_t> asClass(llvm::DWARFDie From, llvm::DWARFDie To,
                                   PointerValue &P) const;
  llvm::DWARFDie completed(llvm::DWARFDie Type);
  llvm::Expected<Lvalue> variable(llvm::StringRef Name);
  llvm::Expected<Lvalue> global(llvm::StringRef Name);
  llvm::Expected<const VariableIndex::Entry *>
  findGlobal(llvm::StringRef Wanted);
  llvm::DWARFDie local(llvm::StringRef Name) const;
  std::vector<std::string> namesInScope() const;
  std::pair<llvm::DWARFDie, DwarfTypes::Members>
  thisWith(llvm::StringRef Name) const;
  llvm::Expected<Lvalue> placed(llvm::DWARFDie Entry, llvm::DWARFDie Function,
                                size_t Image);
  llvm::Expected<Lvalue> member(Lvalue L, llvm::StringRef Name);
  llvm::Expected<std::optional<Lvalue>> virtualBase(const Lvalue &L,
                                                    llvm::StringRef Name);
  llvm::Expected<uint64_t> baseAddress(const DwarfTypes::Found &V,
                                       uint64_t Object) const;
  llvm::Expected<Lvalue> staticMember(llvm::DWARFDie Declared, size_t Image);
  struct ElementIndex {
    int64_t Now;
    llvm::StringRef Computed = {}; ///< from what; empty: it is a number
  };
  llvm::Expected<Lvalue> element(Lvalue L, ElementIndex Index);
  llvm::Expected<Lvalue> pointee(const Lvalue &L);
  llvm::Expected<Lvalue> through(Lvalue L, llvm::StringRef Path);
  llvm::Expected<uint64_t> offsetOf(uint64_t Base, int64_t Index,
                                    uint64_t Each) const;
  llvm::Expected<Lvalue> libraryElement(const Lvalue &L, const Type &T,
                                        uint64_t Index);
  llvm::Expected<Lvalue> mapped(const Lvalue &L, const Type &T, uint64_t Key);
  llvm::Expected<std::optional<LibraryValue>>
  held(const Lvalue &L, const Type &T, uint64_t Most);
  llvm::Expected<uint64_t> number(const Lvalue &L);
  std::optional<AddressRecipe> howToLoad(const Lvalue &L) const;
  llvm::Expected<ElementIndex> index();
  std::optional<Expression> compiledIndex(const Lvalue::Element &E) const;
  llvm::Expected<Operand> valueOf(const Lvalue &L);
  llvm::Expected<Operand> addressOf(const Lvalue &L);
  std::optional<Operand> ownName(llvm::StringRef Name) const;
  llvm::Expected<std::optional<Operand>> registerNamed(llvm::StringRef Name);
  llvm::Expected<std::optional<Operand>> otherName(llvm::StringRef Name);
  Operand address(uint64_t Addr) const;
  llvm::Error findScopes();
  void findScopes(uint64_t PC, std::optional<unsigned> Inlined);
  TypeRef describe(const Lvalue &L) const {
    TypeRef T =
        L.Number ? L.Number : Source.Types.describe(L.Type, L.Dimension);
    return L.Pointers ? Source.Types.pointerTo(T, L.Pointers) : T;
  }

  void skipSpace() { Rest = Rest.ltrim(" \t"); }
  bool eat(llvm::StringRef Token) {
    skipSpace();
    return Rest.consume_front(Token);
  }
  llvm::StringRef word() {
    skipSpace();
    llvm::StringRef W = Rest.take_while(isWord);
    Rest = Rest.drop_front(W.size());
    return W;
  }
  llvm::Error notUnderstood(llvm::StringRef Its) const;
  llvm::StringRef sumAhead();
  llvm::StringRef qualified();
  llvm::StringRef read() const { return Text.drop_back(Rest.size()).trim(); }

  ImageExpressions &Source;
  const Session &S;
  llvm::StringRef Text, Rest;
  const Place At;
  unsigned Depth = 0;
  bool ScopesFound = false;
  bool Fixed = true; ///< no container was asked
  bool TypesOnly = false;
  /// An unknown name's error has names like it, which takes long to find out.
  bool Suggests;

  std::optional<uint64_t> PC; ///< none at the end of the trace
  size_t Image = 0;           ///< that the pc is in
  llvm::DWARFDie Function;    ///< that the pc is in, or that is inlined there
  llvm::DWARFDie Unit;
  /// What is visible: the innermost block first.
  std::vector<llvm::DWARFDie> Scopes;
};

} // namespace rw

#endif // REWIND_COMMANDS_LVALUES_LVALUEPARSER_H
