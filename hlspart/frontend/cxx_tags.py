"""Words of C++ that declare names: namespaces, aliases, typedefs, structures and enumerations."""

from __future__ import annotations

from hlspart.frontend.cxx_cursor import Cursor
from hlspart.frontend.tokens import Token


class NameWords(Cursor):
    """Rewrites what such a word begins."""

    def namespace_word(self) -> None:
        self.at = self.find(("{", ";", "="), self.at)
        if self.text() == "{":
            self.braces.append("dropped")
        else:
            self.at = self.find((";",), self.at)
        self.at += 1

    def using_word(self) -> None:
        end = self.find((";",), self.at)
        if self.text(2) != "=":
            self.at = end + 1
            return
        # using T = type;  ->  typedef type T;
        name = self.tokens[self.at + 1]
        self.names.add(name.text)
        self.known.note_alias(name.text, self.tokens[self.at + 3 : end])
        self.out.append(self.made("typedef", self.tokens[self.at], "id"))
        cut = next((i for i in range(self.at + 3, end) if self.tokens[i].text == "["), end)
        self.replace[end] = [self.tokens[end]] if cut != end else [name, self.tokens[end]]
        if cut != end:
            self.replace[cut] = [name, self.tokens[cut]]
        self.at += 3

    def typedef_word(self) -> None:
        """Note the name; the declaration itself is rewritten like any other."""
        end, level = self.at, 0
        while end < len(self.tokens):
            text = self.tokens[end].text
            level += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
            if text == ";" and level == 0:
                break
            end += 1
        back = end - 1
        while back > self.at and self.tokens[back].text == "]":
            while back > self.at and self.tokens[back].text != "[":
                back -= 1
            back -= 1
        if self.tokens[back].kind == "id":
            self.names.add(self.tokens[back].text)
            if back == end - 1:
                self.known.note_alias(self.tokens[back].text, self.tokens[self.at + 1 : back])
        else:  # a function pointer
            for i in range(self.at, end - 1):
                if self.tokens[i].text == "*" and self.tokens[i + 1].kind == "id" and self.tokens[i + 2].text == ")":
                    self.names.add(self.tokens[i + 1].text)
        self.emit(self.tokens[self.at])

    def tag_word(self, token: Token) -> None:
        if token.text == "enum" and self.text(1) in ("class", "struct"):
            del self.tokens[self.at + 1]
        name = self.tokens[self.at + 1] if self.at + 1 < len(self.tokens) else token
        body = 2 if name.kind == "id" else 1
        kept: list[tuple[str, str]] = []  # of an enumeration that says which integers hold its values
        if token.text == "enum" and self.text(body) == ":":
            end = self.find(("{", ";"), self.at + body)
            kept = [(t.text, t.kind) for t in self.tokens[self.at + body + 1 : end]]
            del self.tokens[self.at + body : end]
        if self.text(body) == ":":
            self.refuse("inheritance")
        if name.kind == "id":
            if name.text not in self.names or self.in_body:
                self.names.add(name.text)
                kept = kept if all(kind == "id" for _, kind in kept) else []
                declared = [("typedef", "id"), *(kept or [(token.text, "id"), (name.text, "id")])]
                declared += [(name.text, "id"), (";", "op")]
                where = (*self.around, self.statement)[0]
                self.out[where:where] = [self.made(t, token, k) for t, k in declared]
                self.statement += len(declared)
                self.around = [start + len(declared) for start in self.around]
            self.out.append(token)
            self.out.append(name)
            self.at += 2
        else:
            self.emit(token)
        if self.text() == "{":
            if token.text != "enum":
                self._check_members()
            else:
                self._enumerators()
            self.braces.append("struct")
            self.around.append(self.statement)
            self.emit(self.tokens[self.at])
            self.statement = len(self.out)

    def _check_members(self) -> None:
        """Refuse member functions; default member values are dropped."""
        end = self.closing(self.at)
        at, level = self.at + 1, 0
        while at < end:
            token = self.tokens[at]
            if token.text == "(" and level == 0 and self.tokens[at + 1].text != "*":
                named = self.tokens[at - 1]
                if named.kind == "id" and named.text not in ("alignas", "__attribute__", "sizeof"):
                    self.refuse(f"member function {named.text}", named)
            if token.text == "operator":
                self.refuse("operator overloading", token)
            level += (token.text in ("{", "[", "(")) - (token.text in ("}", "]", ")"))
            at += 1

    def _enumerators(self) -> None:
        end = self.closing(self.at)
        value, at = 0, self.at + 1
        while at < end:
            if self.tokens[at].kind == "id":
                name = self.tokens[at].text
                stop = at + 1
                while stop < end and self.tokens[stop].text != ",":
                    stop += 1
                if self.tokens[at + 1].text == "=":
                    known = self.known.evaluate(self.tokens[at + 2 : stop])
                    value = known if known is not None else value
                self.constants[name] = value
                value += 1
                at = stop
            at += 1
