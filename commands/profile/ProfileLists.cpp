//===- ProfileLists.cpp - Lists of what costs -----------------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/profile/ProfileLists.h"

using namespace llvm;

namespace rw {

std::vector<uint64_t> costsOf(ArrayRef<uint64_t> All, size_t B, size_t K) {
  return All.slice(B * K, K).vec();
}

void addOutside(const ProfileView &V, std::vector<ProfileRow> &Rows,
                bool WithSelf) {
  ProfileRow R;
  R.Cost.resize(V.metrics().size());
  R.Name = AllFolded;
  const ContextTree &Tree = V.profile().tree();
  for (ContextTree::NodeId N = 0; N < Tree.nodes().size(); ++N)
    if (Tree.isRoot(N))
      for (size_t M = 0; M < R.Cost.size(); ++M)
        R.Cost[M] += V.profile().ofNode(N)[M];
  if (isFree(R))
    return;
  if (WithSelf)
    R.Self = R.Cost;
  Rows.push_back(std::move(R));
}

Error listProfile(Session &S, const ParsedOptions &O, StringRef What,
                  StringRef Noun,
                  function_ref<std::vector<ProfileRow>(ProfileView &)> Rows) {
  if (Error E = checkGoto(S, O))
    return E;
  auto V = ProfileView::open(S, O);
  if (!V)
    return V.takeError();
  if (Error E = (*V)->sweepAndCheck(O.has("goto")))
    return E;
  std::vector<ProfileRow> All = Rows(**V);
  erase_if(All, isFree);
  if (Error E = sortRows(**V, O, All))
    return E;
  return listRows(S, O, **V, std::move(All), What,
                  Noun.empty() ? (*V)->blockNoun() : Noun);
}

} // namespace rw
