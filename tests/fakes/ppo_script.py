"""Stand-in for a training script of rlgym-ppo: its report, its keys, its checkpoint folders. python ppo_script.py MODE [ITERATIONS]"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

STEPS = 50_006
FILES = ("PPO_POLICY.pt", "PPO_VALUE_NET.pt", "PPO_POLICY_OPTIMIZER.pt", "PPO_VALUE_NET_OPTIMIZER.pt")
CHECKPOINTS = Path("data", "checkpoints", "rlgym-ppo-run-1723394601685898272")
PAUSE = 0.02  # seconds of an iteration


def report(iteration: int) -> str:
    """Of an iteration, from 1."""
    steps = iteration * STEPS
    loss = "    nan" if iteration == 1 else f"{0.5 / iteration:7.5f}"
    groups = [
        f"Policy Reward: {0.5 * iteration:7.5f}\nPolicy Entropy: 4.49981\nValue Function Loss: {loss}",
        "Mean KL Divergence: 0.00279\nSB3 Clip Fraction: 0.02373\n"
        "Policy Update Magnitude: 0.07114\nValue Function Update Magnitude: 0.13493",
        "Collected Steps per Second: 8,581.13182\nOverall Steps per Second: 5,977.26097",
        "Timestep Collection Time: 4.31789\nTimestep Consumption Time: 2.00000\n"
        "PPO Batch Consumption Time: 0.11061\nTotal Iteration Time: 6.31789",
        f"Cumulative Model Updates: {iteration}\nCumulative Timesteps: {steps:,}",
        f"Timesteps Collected: {STEPS:,}",
    ]
    body = "\n\n".join(groups)
    return f"--------BEGIN ITERATION REPORT--------\n{body}\n--------END ITERATION REPORT--------\n\n"


def learn_report(iteration: int) -> str:
    """As rlgym-learn prints its figures, without marks."""
    return (
        "-- Timing --\n  Timestep Consumption Time: 2.0\n  Overall Steps per Second: 5977.26\n"
        f"-- Timestep Collection --\n  Cumulative Timesteps: {iteration * STEPS}\n  Timesteps Collected: {STEPS}\n"
        f"-- PPO Metrics --\n  Average Reward: 0.01\n  Average Undiscounted Episodic Return: {0.5 * iteration}\n"
        "  Actor Entropy: 4.49\n  Critic Loss: 0.25\n  Return Standard Deviation: nan\n"
    )


def save(steps: int) -> None:
    print(f"Saving checkpoint {steps}...")
    folder = CHECKPOINTS / str(steps)
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        (folder / name).write_bytes(b"1234")
    (folder / "BOOK_KEEPING_VARS.json").write_text(f'{{"cumulative_timesteps": {steps}}}')
    print(f"Checkpoint {steps} saved!\n")


def key_waits() -> bool:
    return bool(select.select([sys.stdin], [], [], 0)[0])


def learn(iterations: int) -> None:
    settings = termios.tcgetattr(0)
    settings[3] &= ~termios.ICANON & ~termios.ECHO
    termios.tcsetattr(0, termios.TCSAFLUSH, settings)
    print("Press (p) to pause (c) to checkpoint, (q) to checkpoint and quit (after next iteration)\n")
    for iteration in range(1, iterations + 1):
        time.sleep(PAUSE)
        print(report(iteration))
        if key_waits():
            key = sys.stdin.read(1)
            if key == "p":
                print("Paused, press any key to resume")
                while not key_waits():
                    time.sleep(PAUSE)
            if key in "cq":
                save(iteration * STEPS)
            if key == "q":
                return
            if key in "cp":
                print("Resuming...\n")


def main(mode: str, iterations: int) -> None:
    print("Using device cpu")
    if mode == "learn":
        learn(iterations)
    elif mode == "rlgym-learn":
        for iteration in range(1, iterations + 1):
            print(learn_report(iteration), end="", flush=True)
            time.sleep(0.3)
    elif mode == "dies":
        print(report(1))
        raise ValueError("the arena is on fire")
    elif mode == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    elif mode == "deaf":  # hangs, and hears neither keys nor signals; a child of it too
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.SIG_IGN)
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
        print(f"child {child.pid}", flush=True)
        time.sleep(600)
    elif mode == "asks":
        answer = input("Which GPU? ")
        print(f"terminal {os.get_terminal_size()}, answer {answer!r}")
    elif mode == "garbage":
        out = sys.stdout.buffer
        out.write(bytes(range(256)) * 8 + b"\x1b]0;owned\x07\x1b[2J\x1b[?1049h\x1b[31mred\x1b[0m\n")
        out.write(b"--------BEGIN ITERATION REPORT--------\nPolicy Reward: 1e999\nCumulative Timesteps: many\n")
        out.write(b"--------END ITERATION REPORT--------\n--------BEGIN ITERATION REPORT--------\nPolicy Reward: 7\n")
        out.write(b"x" * 100_000 + b"\n" + report(1).encode() + b"\rold\rnew\n")
        out.flush()
    elif mode == "floods":
        for number in range(iterations):
            print(f"line {number}")
        print(report(1), flush=True)
        raise ValueError("after the flood")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 3)
