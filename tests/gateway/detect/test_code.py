"""Masked source is source still, and the secrets in it are found."""

import ast
import sysconfig
from pathlib import Path

import pytest

from gateway.detect.code import is_program
from gateway.detect.engine import Detector
from gateway.mask import Masker
from gateway.restore import restore

_STDLIB = Path(sysconfig.get_paths()["stdlib"])
_MODULES = ["getpass", "hashlib", "linecache", "netrc", "ntpath", "token", "tracemalloc", "traceback", "tty", "uuid"]
_PROGRAM = """import os
from shop.users import User

class Login:
    def __init__(self, user: User, options: Namespace):
        self.user, self.password = user, password
        self.fullname = os.path.join(user.first, user.last)
        token = re.compile(r'^[a-z]')
        {}
"""


def masked(detector: Detector, text: str) -> str:
    masker = Masker(detector)
    vault = masker.new_vault()
    result = masker.mask(text, vault).text
    assert restore(result, vault.map) == text
    return result


@pytest.mark.parametrize("name", _MODULES)
def test_masked_modules_parse(detector: Detector, name: str) -> None:
    ast.parse(masked(detector, (_STDLIB / f"{name}.py").read_text(encoding="utf-8")))


def test_identifiers_are_no_values(detector: Detector) -> None:
    source = _PROGRAM.format("return values[1::-1]  # Namespace of the user")
    assert masked(detector, source) == source


@pytest.mark.parametrize(
    "source",
    [
        "from users import (\n    Namespace,\n    Ed25519PrivateKey,\n)\n\n__all__ = [Namespace]\n",
        "import { Namespace,\n  Tokens256 } from './users'\nlet a: Tokens256 = read()\nfunction f(it: Namespace) {\n",
        "from keys import rsa2048\n\n__all__ = []\nPrivateKey = rsa2048.deep.RSA2048PrivateKey\n",
        "from a import b\n\nclass TokensDetails(B):\n    pass\n\nclass C:\n    input_tokens_details: TokensDetails\n",
        "import pytest\n\n@pytest.mark.parametrize(\n    ('a', 'b'),\n)\ndef test(a, b):\n    return a @ self.weight\n",
        "import re\n\nLABELS = {\n    ids.HOME_ADDRESS: ids.HOME_ADDRESS,\n}\nOID_HOME_ADDRESS = ids.HOME_ADDRESS\n",
        'import re\nfrom a import b\n\nclass MinMax(Min, Max):\n    token = r"[-!#\'*+.a-z]+"\n',
        "import re\n\ndef f(sig):\n    token = sig.pop(0)\n    credentials = header[6:]\n    homepage = m.get('x')\n",
    ],
)
def test_what_a_program_declares_is_no_value(detector: Detector, source: str) -> None:
    assert masked(detector, source) == source


@pytest.mark.parametrize(
    "line",
    [
        "client_name: 'Ada Vance',",
        'street_address: "12 Mill Lane",',
        "name: 'Ada Vance', age: 3",
        "name = b'Ada Vance'",
    ],
)
def test_the_quotes_of_a_setting_stay_around_its_value(detector: Detector, line: str) -> None:
    result = masked(detector, line)
    assert "Vance" not in result
    assert "Mill" not in result
    assert ("b'" in result) == ("b'" in line)
    assert result.count("'") + result.count('"') == 2


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("token = k8w2Rr91xQ", "k8w2Rr91xQ"),
        ("token = 'Tokens256'", "Tokens256"),
        ("password = b'hunter2horse'", "hunter2horse"),
        ("password = r'hunter2horse'", "hunter2horse"),
        ('self.password = "c0rrect-h0rse"', "c0rrect-h0rse"),
        ("connect(password='sunshine')", "sunshine"),
        ('DSN = "postgres://app:hunter2horse@db.local/shop"', "hunter2horse"),
        ('mail(to="ada.vance@ridge.io")', "ada.vance@ridge.io"),
        ('self.owner = "Ada Vance"', "Ada Vance"),
        ("pass  # ask Ada Vance", "Ada Vance"),
        ('"""Ask Ada Vance, 12 Mill Lane, Leeds."""', "Ada Vance"),
    ],
)
def test_values_in_quotes_and_comments_are_found(detector: Detector, line: str, value: str) -> None:
    source = _PROGRAM.format(line)
    assert is_program(source)
    assert value not in masked(detector, source)


@pytest.mark.parametrize(
    "beside",
    [
        "password = hunter2horse",
        "password: hunter2horse",
        "API_KEY=hunter2horse99",
    ],
)
def test_a_setting_beside_a_program_is_found(detector: Detector, beside: str) -> None:
    result = masked(detector, _PROGRAM.format("pass") + "\n" + beside + "\n")
    assert "hunter2horse" not in result


def test_people_of_a_letter_with_a_program_in_it_are_found(detector: Detector) -> None:
    program = _PROGRAM.format("pass")
    letter = f"Anna,\n\nPeter Whitlock's script fails:\n\n{program}\nPlease ask Maria.\nThanks,\nJonas Keller\n"
    result = masked(detector, letter)
    assert not any(name in result for name in ("Anna", "Peter", "Whitlock", "Maria", "Jonas", "Keller"))


@pytest.mark.parametrize(
    "piece",
    [
        "    - password:     The password for the authentication.",
        "def connect(host, local_hostname=None,\n            source_address=None):",
        "self.user, self.password = user, password",
        'pw = input("Password: "); name = row["name"]',
        "ask(prompt='Password: ', stream=None)",
        "let password = await prompt()",
        "--password PASSWORD  The password to use",
        "    address: A string or integer, the IP address.  Either IPv4 or",
        "address: The address to bind to.",
        "fullname = os.path.join(folder, name)",
        "client.name: Masker(load(x), client.policy)",
        "password = new(hash_name, salt)",
        "    @property\n    def user(self): ...",
        "x = f(password=password, user=user)",
    ],
)
def test_pieces_of_source_hold_no_value(detector: Detector, piece: str) -> None:
    assert masked(detector, piece) == piece


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("the user's password is 'sun-12-flower'", "sun-12-flower"),
        ("{'password': ')abc12x'}", ")abc12x"),
        ("password = Summer(2024)", "Summer(2024)"),
        ("password: abc[12]x", "abc[12]x"),
        ("Password: Sunshine", "Sunshine"),
        ("password=admin", "=admin"),
        ('String password = "Wint3rmute";', "Wint3rmute"),
        ("address: The Old Rectory, 5 Church Lane, Ely", "Church Lane"),
        ("Contact: Ada Vance (CEO)", "Ada Vance"),
    ],
)
def test_values_that_look_like_source_are_found(detector: Detector, text: str, value: str) -> None:
    assert value not in masked(detector, text)
    assert value not in masked(detector, _PROGRAM.format("pass") + "\n" + text + "\n")
