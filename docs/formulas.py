"""Formulas as they stand in docstrings, set as mathematics: `w^2 = g/l` becomes LaTeX.

What is read is the notation of the gallery's files: Greek letters by name, `_` and `^`, primes for rates, `int`, `sum`,
`sqrt`, `×` for a cross product, a dot between vectors, `|` around numbers, words of the language as they are.
A matrix is drawn with its brackets, a row to a line. What is no formula, a table of words say, is left alone.
"""

import re

GREEK = {
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "kappa", "lambda", "mu", "nu", "xi", "pi", "rho",
    "sigma", "tau", "phi", "chi", "psi", "omega", "Omega", "Phi", "Psi", "Theta", "Sigma", "Delta", "Gamma",
}  # fmt: skip
SHORT = {"th": r"\theta"}
FUNCTIONS = {"sin", "cos", "tan", "sinh", "cosh", "tanh", "exp", "log", "min", "max", "arg", "arcsin", "arccos", "arctan"}
OPERATORS = {"sech", "asinh", "acosh", "Re", "Im", "diag", "conj", "sn", "cn", "dn", "cd", "Rot", "Trans"}
SIGNS = {"*": r"\cdot ", "×": r"\times ", "<=": r"\le ", ">=": r"\ge ", "+-": r"\pm ", "...": r"\dots ", " . ": r"\cdot "}
DIFFERENTIALS = {"dx", "ds", "dt", "da", "dm", "dr"}
PLAIN = {"of", "at", "in", "is", "it", "on", "to", "by", "as", "or", "if", "so", "be", "no"}  # two letters that are a word


LONGEST = 66  # letters of a line as it is typed

TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<number>\d+(?:\.\d+)?(?:e[+-]?\d+)?)|(?P<word>[A-Za-z]+(?:-[a-z]{3,})*\d*)|(?P<prime>'+)"
    r"|(?P<sign>\.\.\.|<=|>=|\+-|[×*])|(?P<open>[({\[])|(?P<close>[)}\]])|(?P<mark>\^|_)|(?P<rest>.)"
)
PAIRS = {"(": ")", "[": "]", "{": "}"}


def is_word(token: str) -> bool:
    """Whether letters are a word of the language, not a symbol."""
    letters = re.sub(r"\d+$", "", token)
    known = GREEK | FUNCTIONS | OPERATORS | DIFFERENTIALS | {"int", "sum", "sqrt", "deg", "ddx", *SHORT}
    if letters in known or letters != token:
        return False
    return token in PLAIN or (len(letters) > 2 and (letters.islower() or len(letters) > 4))


def is_formula(block: str) -> bool:
    """Whether an indented block is formulas rather than a table or a text."""
    if "`" in block or re.search(r"^[a-z-]+:? {4,}\S", block, re.M):
        return False
    words = [word for word in re.findall(r"[A-Za-z]{2,}", block) if is_word(word)]
    signs = re.findall(r"[=+*/^_<>|]", block)
    return len(signs) > 0 and len(words) <= 3 * len(signs)


def latex(text: str) -> str:
    """One line of a formula as LaTeX."""
    return _Line(text.strip()).read()


def display(block: str) -> str:
    """A block of formulas as displayed mathematics, with its numbers at the end of lines."""
    rows = [re.fullmatch(r"(.*?)(?:\s+(\(\d+\)))?\s*", line).groups() for line in block.splitlines()]  # type: ignore[union-attr]
    if len(rows) > 1 and all(text.startswith("[") and "]" in text for text, _ in rows):
        number = next((n for _, n in rows if n), None)
        rows = [(matrices([text for text, _ in rows]), number)]
    else:
        rows = [(latex(part), number) for text, n in rows for part, number in broken(text, n)]
    shown = [f"& {text}" + (rf" && {number}" if number else "") for text, number in rows]
    return "$$\n\\begin{aligned}\n" + " \\\\\n".join(shown) + "\n\\end{aligned}\n$$"


def broken(text: str, number: str | None) -> list[tuple[str, str | None]]:
    """A long line in several, cut where its statements are set apart, the number at the last."""
    parts = re.split(r"(?<=[,;:]) {2,}|(?<= ,) +", text)
    lines = [parts[0]]
    for part in parts[1:]:
        if len(lines[-1]) + len(part) > LONGEST:
            lines.append(part)
        else:
            lines[-1] += "   " + part
    return [(line, number if line is lines[-1] else None) for line in lines]


def matrices(lines: list[str]) -> str:
    """Matrices that are drawn over several lines, with what stands between them."""
    cut = [re.split(r"\[([^\]]*)\]", line) for line in lines]  # between, inside, between, inside, ..., between
    cut = [row for row in cut if len(row) == len(cut[0])]
    found = []
    for k in range(len(cut[0])):
        column = [row[k].strip() for row in cut]
        if k % 2:
            entries = [" & ".join(latex(e) for e in re.split(r"\s{2,}", text)) for text in column]
            found.append(r"\begin{bmatrix}" + r" \\ ".join(entries) + r"\end{bmatrix}")
        else:
            found.append(latex(" ".join(text for text in column if text)))
    return " ".join(found)


class _Line:
    """Reads a formula from left to right."""

    def __init__(self, text: str):
        text = re.sub(r"\s+\.\s+(?=\S)", " * ", text)
        text = re.sub(r"(?<=[\w)'\]])\.(?=[\w(\[])(?!\d)", " * ", text)
        text = re.sub(r"(?<=[A-Za-z'])([+*-])(?=\s|[).,;]|$)", r"^\1", text)  # v+, after the impact
        self.tokens = [(m.lastgroup or "", m[0]) for m in TOKEN.finditer(text)]
        self.k = 0
        self.raised = False  # where letters are no words

    def read(self, until: str = "") -> str:
        """All up to a closing bracket, which is taken too; to the end without one."""
        found: list[str] = []
        while self.k < len(self.tokens):
            if until and self.tokens[self.k][1] == until:
                self.k += 1
                break
            found.append(self._words() if self._at_words() else self._one())
        return "".join(found)

    def _at_words(self) -> bool:
        kind, text = self.tokens[self.k]
        return kind == "word" and is_word(text) and not self.raised

    def _words(self) -> str:
        """Words one after the other, with single letters between them, as text."""
        said: list[str] = []
        while self.k < len(self.tokens):
            kind, text = self.tokens[self.k]
            after = next((t for t in self.tokens[self.k + 1 :] if t[0] != "space"), ("", ""))
            article = text == "a" and after[0] == "word" and is_word(after[1])
            if not (kind == "space" or (kind == "word" and (is_word(text) or article))):
                break
            said.append(" " if kind == "space" else text)
            self.k += 1
            if kind == "word" and self.tokens[self.k : self.k + 1] == [("prime", "'")]:
                said.append("'")
                self.k += 1
                if self.tokens[self.k : self.k + 1] == [("word", "s")]:
                    said.append("s")
                    self.k += 1
        return r"\text{ " + "".join(said).strip() + r" }"

    def _one(self) -> str:
        """The next symbol, with what is raised and lowered on it."""
        kind, text = self.tokens[self.k]
        self.k += 1
        if kind == "space":
            return r"\quad " if len(text) > 2 else r"\; " if len(text) == 2 else " "
        if kind == "sign":
            return SIGNS[text]
        if kind == "mark":  # without anything before it
            return self._script(text)
        if kind == "open":
            inside = self.read(PAIRS[text])
            left, right = (r"\{", r"\}") if text == "{" else (text, PAIRS[text])
            return self._scripts(rf"{left}{inside}{right}")
        if kind == "word":
            return self._named(text)
        if kind == "number":
            return self._scripts(re.sub(r"e([+-]?)0*(\d+)$", r"\\cdot 10^{\1\2}", text))
        return self._scripts({"%": r"\%", "#": r"\#", "&": r"\&", "$": r"\$"}.get(text, text) if kind != "prime" else text)

    def _named(self, text: str) -> str:
        """A word: a function, a letter, or several."""
        letters, digits = re.fullmatch(r"([A-Za-z-]+?)(\d*)", text).groups()  # type: ignore[union-attr]
        lower = rf"_{{{digits}}}" if digits else ""
        if letters == "sqrt":
            while self.k < len(self.tokens) and self.tokens[self.k][0] == "space":
                self.k += 1
            if self.k < len(self.tokens) and self.tokens[self.k][1] == "(":
                self.k += 1
                return self._scripts(rf"\sqrt{{{self.read(')')}}}")
            return rf"\sqrt{{{self._one()}}}"
        if letters in FUNCTIONS:
            return self._scripts(rf"\{letters}{lower}") + " "
        if letters in OPERATORS:
            return self._scripts(rf"\operatorname{{{letters}}}{lower}")
        if letters in ("int", "sum"):
            return self._scripts(rf"\{letters}") + " "
        if letters in DIFFERENTIALS:
            behind = self.k > 1 and self.tokens[self.k - 2][1] == "/"
            return letters if behind else rf"\,{letters}"
        if letters == "deg":
            return r"^\circ"
        shown = rf"\{letters}" if letters in GREEK else SHORT.get(letters, letters)
        if shown == letters and len(letters) > 1 and not self.raised and letters not in ("EI", "EA", "GJ", "GA", "GM"):
            shown = rf"\mathit{{{letters}}}"
        return self._scripts(shown + lower)

    def _scripts(self, shown: str) -> str:
        """A symbol with its primes, tilde, index and power."""
        while self.k < len(self.tokens):
            kind, text = self.tokens[self.k]
            if kind == "prime":
                self.k += 1
                shown += text
            elif text == "~":
                self.k += 1
                shown = rf"\widetilde{{{shown}}}"
            elif kind == "mark":
                self.k += 1
                shown = (f"{{{shown}}}" if "_" in shown and text == "_" else shown) + self._script(text)
            else:
                break
        return shown + (" " if re.search(r"\\[A-Za-z]+$", shown) else "")

    def _script(self, mark: str) -> str:
        """What is raised or lowered: a bracket's inside, or a sign and the next word or number."""
        if self.k >= len(self.tokens):
            return rf"\{mark}"
        kind, text = self.tokens[self.k]
        if kind == "open" and (text == "{" or mark == "^" or text == "("):
            self.k += 1
            self.raised, before = True, self.raised
            inside = self.read(PAIRS[text])
            self.raised = before
            return f"{mark}{{{inside}}}"
        sign = ""
        if text in ("+", "-", "*"):
            self.k += 1
            sign = text
        if self.k < len(self.tokens) and self.tokens[self.k][0] in ("word", "number"):
            kind, text = self.tokens[self.k]
            self.k += 1
            if kind == "word" and (text in GREEK or text in SHORT):
                text = rf"\{text}" if text in GREEK else SHORT[text]
            elif kind == "word" and len(text) > 2 and not set(text) <= set("ijklmnrstxyz0123456789"):
                text = rf"\mathrm{{{text}}}"
            if kind == "number" and self.k < len(self.tokens) and self.tokens[self.k][0] == "word":
                text += self.tokens[self.k][1]  # 0k
                self.k += 1
            return f"{mark}{{{sign}{text}}}"
        return f"{mark}{{{sign}}}"
