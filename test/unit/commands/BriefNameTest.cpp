//===- BriefNameTest.cpp - Names of functions in text ---------------------===//
//
// Part of Rewind, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "core/support/BriefName.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/JSON.h"
#include "gtest/gtest.h"

using namespace rw;

namespace {

/// Without the number that tells it from others.
std::string brief(llvm::StringRef Name) {
  const std::string Brief = briefName(Name);
  const size_t At = Brief.rfind(" ~");
  EXPECT_EQ(At, Brief.size() - 6) << Brief;
  return Brief.substr(0, At);
}

TEST(BriefName, LeavesOutArgumentsFromTheInside) {
  EXPECT_EQ(briefName("main"), "main");
  EXPECT_EQ(briefName("Ring<double, 3>::push(double)"),
            "Ring<double, 3>::push(double)");
  EXPECT_EQ(brief("__insertion_sort<__gnu_cxx::__normal_iterator<int*, "
                  "std::vector<int> >, __gnu_cxx::__ops::_Iter_comp_iter<main()"
                  "::<lambda(int, int)> > >"),
            "__insertion_sort<__normal_iterator<...>, "
            "__ops::_Iter_comp_iter<...>>");
  EXPECT_EQ(brief("std::map<std::__cxx11::basic_string<char>, Key<int>>::find("
                  "std::__cxx11::basic_string<char> const&)"),
            "std::map<std::basic_string<...>, Key<int>>::find("
            "std::basic_string<char> const&)");
  EXPECT_EQ(brief("std::pair<Key<int, long, short>, Value<char, unsigned "
                  "char, bool, wchar_t, float>>::swap"),
            "std::pair<Key<...>, Value<...>>::swap");
}

TEST(BriefName, LeavesOutParametersLast) {
  EXPECT_EQ(brief("f(first_parameter_type, second_parameter_type, "
                  "third_parameter_type, fourth_parameter_type)"),
            "f(...)");
  EXPECT_EQ(brief("f(first_parameter_type, second_parameter_type, "
                  "third_parameter_type, fourth_parameter_type) "
                  "(.constprop.0)"),
            "f(...) (.constprop.0)");
  EXPECT_EQ(brief("(anonymous namespace)::function_of_long_name("
                  "first_parameter_type, second_parameter_type, third)"),
            "(anonymous namespace)::function_of_long_name(...)");
}

TEST(BriefName, LeavesOutDefaultsFirst) {
  EXPECT_EQ(briefName("std::vector<std::__cxx11::basic_string<char, "
                      "std::char_traits<char>, std::allocator<char> >, "
                      "std::allocator<std::__cxx11::basic_string<char, "
                      "std::char_traits<char>, std::allocator<char> > > "
                      ">::push_back(int)"),
            "std::vector<std::string>::push_back(int)");
  EXPECT_EQ(briefName("std::vector<int, std::allocator<int> >::at()"),
            "std::vector<int, std::allocator<int> >::at()");
}

// Two that differ far inside only.
TEST(BriefName, TellsApart) {
  auto sort = [](const std::string &Of) {
    return briefName(
        "void std::__introsort_loop<__gnu_cxx::__normal_iterator<" + Of +
        "*, std::vector<" + Of + ", std::allocator<" + Of +
        "> > >, long, __gnu_cxx::__ops::_Iter_less_iter>(" + Of + "*, " + Of +
        "*, long, __gnu_cxx::__ops::_Iter_less_iter)");
  };
  EXPECT_NE(sort("int"), sort("double"));
  EXPECT_EQ(sort("int").find("std::__introsort_loop<"), 0u);
  EXPECT_LT(sort("int").size(), 90u);
}

TEST(BriefName, HasNoReturnType) {
  for (auto [Name, Brief] :
       std::initializer_list<std::pair<llvm::StringRef, llvm::StringRef>>{
           {"void f<int>(int)", "f<int>(int)"},
           {"std::pair<int, char> const& pick<1>(std::tuple<int>) const",
            "pick<1>(std::tuple<int>) const"},
           {"std::ostream& std::operator<< <char>(std::ostream&, char const*)",
            "std::operator<< <char>(std::ostream&, char const*)"},
           {"decltype(f(1)) call<int>(int)", "call<int>(int)"},
           {"auto sum<int>(int) -> int", "sum<int>(int) -> int"},
           {"int run(int)::{lambda(auto)#1}::operator()<int>(int) const",
            "run(int)::{lambda(auto)#1}::operator()<int>(int) const"},
           {"f(unsigned long)", "f(unsigned long)"},
           {"A<int>::operator bool() const", "A<int>::operator bool() const"},
           {"operator new(unsigned long)", "operator new(unsigned long)"},
           {"(anonymous namespace)::f(int)", "(anonymous namespace)::f(int)"},
           {"vtable for A<int>", "vtable for A<int>"},
           {"guard variable for f<int>(int)::x",
            "guard variable for f<int>(int)::x"},
           {"non-virtual thunk to A<int>::f(int)",
            "non-virtual thunk to A<int>::f(int)"},
           {"<alloc::vec::Vec<T> as core::ops::Index<I>>::index",
            "<alloc::vec::Vec<T> as core::ops::Index<I>>::index"},
           {"void (*signal(int, void (*)(int)))(int)",
            "void (*signal(int, void (*)(int)))(int)"}})
    EXPECT_EQ(briefName(Name), Brief);
}

TEST(BriefName, TakesOperatorsForNoBrackets) {
  const std::string Arguments = "<" + std::string(90, 'T') + ">";
  for (std::string Operator :
       {"operator<", "operator<<", "operator>", "operator>>", "operator->",
        "operator->*", "operator()", "operator<=>", "operator<=", "operator[]",
        "operator==", "operator,"})
    EXPECT_EQ(brief("A" + Arguments + "::" + Operator + "(int)"),
              "A<...>::" + Operator + "(int)");
  EXPECT_EQ(brief("std::operator<< " + Arguments + "(int)"),
            "std::operator<< <...>(int)");
  EXPECT_EQ(brief("std::operator<<" + Arguments + "(int)"),
            "std::operator<<<...>(int)");
  // A word that only begins so.
  EXPECT_EQ(brief("operators" + Arguments), "operators<...>");
}

TEST(BriefName, LeavesWhatItDoesNotUnderstand) {
  for (std::string Name :
       {std::string(100, 'x'), std::string(100, '<'), std::string(100, '>'),
        std::string(100, ')'), "f<" + std::string(100, 'x'),
        std::string(92, ' ') + "operator"})
    EXPECT_EQ(briefName(Name), Name);
}

TEST(BriefName, LeavesOutTheMiddleOfWhatIsLeft) {
  const std::string A(5000, 'a');
  const std::string One = briefName(A), Other = briefName("b" + A);
  EXPECT_EQ(One.substr(0, 203),
            std::string(160, 'a') + "..." + std::string(40, 'a'));
  EXPECT_EQ(One.size(), 203u + 6);
  EXPECT_NE(One.substr(203), Other.substr(203));
  // As long as what is told of it.
  const std::string Same(203, 'a');
  EXPECT_EQ(briefName(Same).size(), 203u + 6);
  EXPECT_EQ(briefName(std::string(200, 'a')), std::string(200, 'a'));
  // Between characters.
  std::string Wide = "x";
  for (unsigned I = 0; I < 300; ++I)
    Wide += "\u00e4";
  const std::string Brief = briefName(Wide);
  EXPECT_TRUE(llvm::json::isUTF8(Brief)) << Brief;
  EXPECT_LT(Brief.size(), 210u);
}

TEST(BriefName, PlainNames) {
  for (auto [Name, Brief] :
       std::initializer_list<std::pair<llvm::StringRef, llvm::StringRef>>{
           {"main", "main"},
           {"memcpy@plt", "memcpy@plt"},
           {"fib(int)", "fib"},
           {"f.isra.0", "f.isra.0"},
           {"std::vector<int, std::allocator<int>>::push_back(int&&)",
            "std::vector::push_back"},
           {"void std::__introsort_loop<int*, long, std::less<int>>(int*, "
            "int*, "
            "long) (.isra.0)",
            "std::__introsort_loop"},
           {"std::pair<int, char> const& pick<1>(std::tuple<int>) const",
            "pick"},
           {"(anonymous namespace)::Parser::next()",
            "(anonymous namespace)::Parser::next"},
           {"run(int)::{lambda(char)#1}::operator()(char) const",
            "run::{lambda(char)#1}::operator()"},
           {"run(int)::'lambda'(char)::operator()(char) const",
            "run::'lambda'::operator()"},
           {"std::ostream& std::operator<< <char>(std::ostream&, char const*)",
            "std::operator<<"},
           {"bool operator<<int>(A<int>, A<int>)", "operator<<int>"},
           {"A<int>::operator bool() const", "A::operator bool"},
           {"A::operator->()", "A::operator->"},
           {"A::operator std::vector<int>()", "A::operator std::vector"},
           {"operator new(unsigned long)", "operator new"},
           {"operators(int)", "operators"},
           {"to_string[abi:cxx11](int)", "to_string"},
           {"decltype(f(1)) call<int>(int)", "call"},
           {"auto sum<int>(int) -> int", "sum"},
           {"void (*signal(int, void (*)(int)))(int)",
            "void (*signal(int, void (*)(int)))(int)"},
           {"<alloc::vec::Vec<T> as core::ops::Index<I>>::index",
            "<alloc::vec::Vec<T> as core::ops::Index<I>>::index"},
           {"f<", "f"},
           {"f(", "f"}})
    EXPECT_EQ(plainName(Name), Brief) << Name.str();
}

} // namespace
