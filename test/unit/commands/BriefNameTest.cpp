//===- BriefNameTest.cpp - Names of functions in text ---------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "commands/support/BriefName.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace rw;

namespace {

TEST(BriefName, LeavesOutArgumentsFromTheInside) {
  EXPECT_EQ(briefName("main"), "main");
  EXPECT_EQ(briefName("Ring<double, 3>::push(double)"),
            "Ring<double, 3>::push(double)");
  EXPECT_EQ(
      briefName("__insertion_sort<__gnu_cxx::__normal_iterator<int*, "
                "std::vector<int> >, __gnu_cxx::__ops::_Iter_comp_iter<main()"
                "::<lambda(int, int)> > >"),
      "__insertion_sort<...>");
  EXPECT_EQ(briefName("std::map<std::__cxx11::basic_string<char>, int>::find("
                      "std::__cxx11::basic_string<char> const&)"),
            "std::map<...>::find(std::__cxx11::basic_string<...> const&)");
  EXPECT_EQ(briefName("std::pair<Key<int, long, short>, Value<char, unsigned "
                      "char, bool, wchar_t, float>>::swap"),
            "std::pair<Key<...>, Value<...>>::swap");
}

TEST(BriefName, LeavesOutParametersLast) {
  EXPECT_EQ(briefName("f(first_parameter_type, second_parameter_type, "
                      "third_parameter_type, fourth_parameter_type)"),
            "f(...)");
  EXPECT_EQ(briefName("f(first_parameter_type, second_parameter_type, "
                      "third_parameter_type, fourth_parameter_type) "
                      "(.constprop.0)"),
            "f(...) (.constprop.0)");
  EXPECT_EQ(briefName("(anonymous namespace)::function_of_long_name("
                      "first_parameter_type, second_parameter_type, third)"),
            "(anonymous namespace)::function_of_long_name(...)");
}

TEST(BriefName, TakesOperatorsForNoBrackets) {
  const std::string Arguments = "<" + std::string(90, 'T') + ">";
  for (std::string Operator :
       {"operator<", "operator<<", "operator>", "operator>>", "operator->",
        "operator->*", "operator()", "operator<=>", "operator<=", "operator[]",
        "operator==", "operator,"})
    EXPECT_EQ(briefName("A" + Arguments + "::" + Operator + "(int)"),
              "A<...>::" + Operator + "(int)");
  EXPECT_EQ(briefName("std::operator<< " + Arguments + "(int)"),
            "std::operator<< <...>(int)");
  EXPECT_EQ(briefName("std::operator<<" + Arguments + "(int)"),
            "std::operator<<<...>(int)");
  // A word that only begins so.
  EXPECT_EQ(briefName("operators" + Arguments), "operators<...>");
}

TEST(BriefName, LeavesWhatItDoesNotUnderstand) {
  for (std::string Name :
       {std::string(100, 'x'), std::string(100, '<'), std::string(100, '>'),
        std::string(100, ')'), "f<" + std::string(100, 'x'),
        std::string(92, ' ') + "operator"})
    EXPECT_EQ(briefName(Name), Name);
}

} // namespace
