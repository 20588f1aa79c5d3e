//===- ImageExpressions.cpp - Lvalues by debug information ----------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/lvalues/ImageExpressions.h"
#include "commands/lvalues/LvalueParser.h"
#include "commands/support/CompiledText.h"
#include "commands/support/Format.h"
#include "commands/support/LocationAlong.h"
#include "commands/support/SessionInput.h"
#include "commands/support/UnknownName.h"
#include "core/expr/ExpressionSize.h"
#include "core/store/TraceStore.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace llvm;

namespace rw {

Expected<OperandSource::Operand>
ImageExpressions::compute(StringRef Text, Place Where, bool *Truth) {
  if (Error E = checkExpressionSize(Text))
    return E;
  LvalueParser Operands(*this, Text, Where);
  ExpressionContext C = expressionContext(S.Store);
  C.Operands = &Operands;
  auto E = Expression::compile(Text, C);
  if (!E) {
    const bool Nowhere = E.errorIsA<NoSuchName>();
    std::string Why = toString(E.takeError()), Its = ("'" + Text + "'").str();
    if (!StringRef(Why).starts_with(Its))
      Why = Its + ": " + Why;
    return Nowhere ? make_error<NoSuchName>(Why) : userError(Why);
  }
  SessionInput Input(S, Where);
  auto V = E->evaluate(Input);
  if (!V)
    return V.takeError();
  OperandSource::Operand O;
  O.Type = E->type();
  O.Value = *V;
  if (Truth)
    *Truth = E->isTruth();
  if (Truth && Input.divides())
    return userError("'" + Text + "': division by zero");
  if (Truth && Input.undefined())
    return make_error<NotDefined>(
        "'" + Text +
        "': C does not define it: a number is shifted by all of "
        "its bits or more, or a quotient is too large");
  return O;
}

Expected<std::optional<bool>> ImageExpressions::test(StringRef Condition,
                                                     Place Where) {
  auto V = compute(Condition, Where);
  if (!V)
    return V.takeError();
  if (!V->Value)
    return std::nullopt;
  return V->Type.Float ? bit_cast<double>(*V->Value) != 0 : *V->Value != 0;
}

Expected<std::optional<bool>> ImageExpressions::tryTest(StringRef Condition,
                                                        Place Where) {
  const SaveAndRestore Quietly(Suggests, false);
  return test(Condition, Where);
}

Expected<std::optional<uint64_t>>
ImageExpressions::fixedVariable(StringRef Name, uint64_t PC, unsigned Inlined) {
  return LvalueParser(*this, Name, Place()).fixed(PC, Inlined);
}

const TypeIndex &ImageExpressions::types() {
  if (!NamedTypes)
    NamedTypes = std::make_unique<TypeIndex>(images());
  return *NamedTypes;
}

ImageExpressions::ImageExpressions(
    const Session &S, std::function<std::vector<DwarfImage>()> Images)
    : S(S), Open(std::move(Images)), Program(&S.Store.registerFile()),
      Types(S.Store.header().Architecture,
            S.Store.header().Architecture == Arch::Arm ? 4 : 8) {}

const std::vector<DwarfImage> &ImageExpressions::images() {
  if (!Opened)
    Opened = Open();
  return *Opened;
}

ProgramNames *ImageExpressions::names() {
  std::vector<ProgramVariables::Image> All;
  for (const DwarfImage &I : images())
    All.push_back({I.Path, I.Slide});
  Program.setImages(std::move(All));
  return &Program;
}

const VariableIndex &ImageExpressions::index() {
  if (!Index)
    Index = std::make_unique<VariableIndex>(images());
  return *Index;
}

Expected<Location> ImageExpressions::locate(StringRef Expression, Place At) {
  LvalueParser P(*this, Expression.trim(), At);
  auto L = P.run();
  if (!L)
    return L.takeError();
  return P.location(*L);
}

namespace {

/// What an lvalue is at each instruction is found out once.
class ImageLvalue final : public LvalueAlong {
public:
  ImageLvalue(ImageExpressions &Source, const Session &S, StringRef Text,
              StateCursor &Near)
      : Source(Source), S(S), Text(Text), Near(Near) {}
  const Location *at(const Place &At, uint64_t PC) override;

private:
  /// At an instruction.
  struct Known {
    std::optional<Location> Is;
    std::optional<AddressRecipe> How; ///< of memory
    uint64_t Misses = 0;
  };
  void learn(Known &K, const Place &At);

  ImageExpressions &Source;
  const Session &S;
  const std::string Text;
  StateCursor &Near;
  std::unordered_map<uint64_t, Known> ByCode;
};

} // namespace

void ImageLvalue::learn(Known &K, const Place &At) {
  LvalueParser P(Source, Text, At);
  auto L = P.run();
  auto Is = L ? P.location(*L) : L.takeError();
  if (!Is) {
    consumeError(Is.takeError());
    return;
  }
  if (!P.isFixed())
    return;
  if (Is->Where == Location::Memory)
    K.How = P.recipe(*L, Is->Size);
  if (K.How || (Is->Where == Location::Register && L->Elements.empty()))
    K.Is = std::move(*Is);
}

const Location *ImageLvalue::at(const Place &At, uint64_t PC) {
  Known &K = ByCode[PC];
  // What is on its way may not be known at the first visits.
  if (!K.Is && isPowerOf2_64(++K.Misses))
    learn(K, At);
  if (!K.Is)
    return nullptr;
  if (!K.How) {
    K.Is->Thread = At.Thread;
    return &*K.Is;
  }
  auto Addr = K.How->find(S, Near, At.Thread, At.When);
  if (!Addr || !*Addr) {
    consumeError(Addr.takeError());
    return nullptr;
  }
  K.Is->Addr = **Addr;
  return &*K.Is;
}

std::unique_ptr<LvalueAlong> ImageExpressions::along(StringRef Expression,
                                                     StateCursor &Near) {
  return std::make_unique<ImageLvalue>(*this, S, Expression.trim(), Near);
}

Expected<ExpressionSource::Evaluated>
ImageExpressions::evaluate(StringRef Expression, Place Where, ValueStyle) {
  if (isComputed(Expression.trim())) {
    // A cast to a type of the program, and a sum with a pointer, have its type.
    {
      const SaveAndRestore Quietly(Suggests, false);
      LvalueParser P(*this, Expression.trim(), Where);
      auto L = P.run();
      auto V = L ? P.value(*L) : L.takeError();
      if (V)
        return Evaluated{shown(S, *V), std::nullopt};
      consumeError(V.takeError()); // it is no such thing, or compute() says why
    }
    bool Truth = false;
    auto O = compute(Expression.trim(), Where, &Truth);
    if (!O)
      return O.takeError();
    if (!O->Value)
      return make_error<UnknownValue>(
          "an operand of '" + Expression.trim().str() + "' is not known");
    const uint64_t N = Truth ? *O->Value != 0 : *O->Value;
    return Evaluated{shown(S, computedValue(O->Type, Truth, N)), std::nullopt};
  }
  // An address is a value without a place.
  if (Expression.trim().starts_with("&")) {
    auto O = compute(Expression.trim(), Where);
    if (!O)
      return O.takeError();
    return Evaluated{O->Value
                         ? shown(S, computedValue(O->Type, false, *O->Value))
                         : UnknownText.str(),
                     std::nullopt};
  }
  LvalueParser P(*this, Expression.trim(), Where);
  auto L = P.run();
  if (!L) {
    // An enumerator has a value, and no place.
    auto O = compute(Expression.trim(), Where);
    if (!O || !O->Value) {
      consumeError(O.takeError());
      return L.takeError();
    }
    consumeError(L.takeError());
    return Evaluated{shown(S, computedValue(O->Type, false, *O->Value)),
                     std::nullopt};
  }
  auto V = P.value(*L);
  if (!V)
    return V.takeError();
  return Evaluated{shown(S, *V), std::nullopt};
}

TypeRef ImageExpressions::lvalueType(StringRef Expression, Place At) {
  const SaveAndRestore Quietly(Suggests, false); // nobody reads why not
  return LvalueParser(*this, Expression.trim(), At).type();
}

bool ImageExpressions::isLocal(StringRef Name, Place At) {
  return LvalueParser(*this, Name, At).isLocal();
}

Expected<std::optional<int64_t>> ImageExpressions::enumerator(StringRef Name,
                                                              Place At) {
  auto Found = LvalueParser(*this, "", At).enumerator(Name);
  if (!Found)
    return Found.takeError();
  return *Found ? std::optional((*Found)->Value) : std::nullopt;
}

std::optional<ExpressionSource::Object>
ImageExpressions::objectAt(uint64_t Addr) {
  for (const VariableIndex::Entry *E : index().before(Addr)) {
    TypeRef T = Types.describe(typeOf(E->Die));
    if (T->Size && Addr - E->Addr < T->Size)
      return Object{E->Name, E->Addr, T};
  }
  return std::nullopt;
}

std::vector<std::string> ImageExpressions::variables(Place At) {
  auto Locals = LvalueParser(*this, "", At).locals();
  std::vector<std::string> Names;
  if (Locals)
    Names = std::move(*Locals);
  else
    consumeError(Locals.takeError());
  for (const VariableIndex::Entry &E : index().all())
    Names.push_back(E.Name);
  return Names;
}

} // namespace rw
