#!/usr/bin/env python3
"""Writes core/arch/LinuxCalls.def: the numbers of Linux's system calls, from the
kernel headers of the cross compilers. Run it when there are new calls:
scripts/make_linux_calls.py > core/arch/LinuxCalls.def"""

import re
import subprocess

COMPILERS = [
    "aarch64-linux-gnu-gcc",
    "arm-linux-gnueabihf-gcc",
    "powerpc64le-linux-gnu-gcc",
    "x86_64-linux-gnu-gcc",
]
# What the arguments are: d a number, u one without sign, x flags, p an address,
# s a text. Of what is not here all six registers are shown.
ARGUMENTS = """
accept:dpp accept4:dppx access:sx alarm:u arch_prctl:dp bind:dpu brk:p chdir:s chmod:sx chown:sdd clock_gettime:dp
clock_nanosleep:dxpp clone:xpppp clone3:pu close:d connect:dpu creat:sx dup:d dup2:dd dup3:ddx epoll_create1:x
epoll_ctl:dddp epoll_pwait:dpddp eventfd2:ux execve:spp exit:d exit_group:d faccessat:dsx fchdir:d fchmod:dx
fchmodat:dsx fchownat:dsddx fcntl:ddx fcntl64:ddx fdatasync:d fstat:dp fstat64:dp fstatfs:dp fsync:d ftruncate:du
futex:pdupp getcwd:pu getdents64:dpu getegid: geteuid: getgid: getpeername:dpp getpid: getppid: getrandom:pux
getrlimit:dp getrusage:dp getsockname:dpp getsockopt:dddpp gettid: gettimeofday:pp getuid: ioctl:dxx kill:dd
link:ss listen:dd lseek:ddd lstat:sp madvise:pud membarrier:xxd mkdir:sx mkdirat:dsx mmap:puxxdu mmap2:puxxdu
mprotect:pux mremap:puuxp munmap:pu nanosleep:pp newfstatat:dspx fstatat64:dspx open:sxx openat:dsxx pipe:p pipe2:px
poll:pud ppoll:puppu prctl:dxxxx pread64:dpuu preadv:dpuu prlimit64:ddpp pselect6:dppppp pwrite64:dpuu read:dpu
readahead:duu readlink:spu readlinkat:dspu readv:dpu recvfrom:dpuxpp recvmsg:dpx rename:ss renameat:dsds
renameat2:dsdsx rmdir:s rseq:puxx rt_sigaction:dppu rt_sigprocmask:dppu rt_sigreturn: rt_sigsuspend:pu
rt_sigtimedwait:pppu sched_getaffinity:dup sched_yield: select:dpppp sendfile:ddpu sendmsg:dpx sendto:dpuxpu
set_robust_list:pu set_tid_address:p set_tls:p setitimer:dpp setsockopt:dddpu shutdown:dd sigaltstack:pp socket:ddd
socketpair:dddp stat:sp statfs:sp statx:dsxxp symlink:ss sysinfo:p tgkill:ddd time:p timer_settime:dxpp times:p
truncate:su umask:x uname:p unlink:s unlinkat:dsx utimensat:dspx vfork: wait4:dpxp waitid:ddpxp write:dpu writev:dpu
"""


def numbers(compiler):
    text = subprocess.run(
        [compiler, "-E", "-dM", "-include", "asm/unistd.h", "-xc", "/dev/null"],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    macros = dict(re.findall(r"^#define (__(?:ARM_)?NR\w*) (.+)$", text, re.M))

    def value(words, depth=0):
        words = re.sub(r"\b__\w+", lambda m: str(value(macros[m.group()], depth + 1))
                       if m.group() in macros and depth < 9 else m.group(), words)
        try:
            return eval(words, {})
        except Exception:
            return None

    found = {}
    for name, words in macros.items():
        short = re.sub(r"^__(ARM_NR_|NR3264_|NR_)", "", name)
        number = value(words)
        if name.startswith("__NR3264_") or short in ("syscalls", "arch_specific_syscall"):
            continue
        if short in ("OABI_SYSCALL_BASE", "SYSCALL_BASE", "__ARM_NR_BASE", "BASE"):
            continue
        if number is not None:
            found[short] = number
    return found


known = dict(words.split(":") for words in ARGUMENTS.split())
tables = [numbers(c) for c in COMPILERS]
print("""// Linux's system calls: name, their numbers on AArch64, on AArch32 (EABI), on
// 64-bit POWER and on x86-64 (-1: there is none), and their arguments, see
// LinuxCalls.h. Written by scripts/make_linux_calls.py.
// clang-format off""")
for name in sorted(set().union(*tables)):
    row = ", ".join(str(t.get(name, -1)) for t in tables)
    print('LINUX_CALL("%s", %s, "%s")' % (name, row, known.get(name, "?")))
print("// clang-format on")
