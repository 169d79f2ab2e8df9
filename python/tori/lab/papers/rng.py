"""Random numbers from a seed, the same as the library draws: xoshiro256** of
D. Blackman and S. Vigna, "Scrambled linear pseudorandom number generators",
2021, its state filled by SplitMix64."""
from __future__ import annotations

MASK = (1 << 64) - 1


def _rotate(x: int, k: int) -> int:
    return (x << k | x >> (64 - k)) & MASK


def _mix(x: int) -> int:
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9 & MASK
    x = (x ^ x >> 27) * 0x94d049bb133111eb & MASK
    return x ^ x >> 31


class Random:
    """A sequence; streams of one seed are as unrelated as seeds are."""

    STEP = 0x9e3779b97f4a7c15

    def __init__(self, seed: int, stream: int):
        state = _mix(seed + self.STEP & MASK) ^ stream
        state = _mix(state + self.STEP & MASK)
        self.s = [_mix(state + i * self.STEP & MASK) for i in range(1, 5)]

    def next(self) -> int:
        """64 random bits."""
        s = self.s
        answer = _rotate(s[1] * 5 & MASK, 7) * 9 & MASK
        shifted = s[1] << 17 & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= shifted
        s[3] = _rotate(s[3], 45)
        return answer

    def uniform(self) -> float:
        """In [0, 1)."""
        return (self.next() >> 11) * 2.0**-53

    def below(self, n: int) -> int:
        """A whole number in [0, n), each equally likely."""
        least = (1 << 64) % n
        while True:
            product = self.next() * n
            if product & MASK >= least:
                return product >> 64
