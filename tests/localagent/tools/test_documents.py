"""PDF, office files, HTML and mail through read_file: Markdown with pages, marked as foreign."""

import io
import zipfile
from email.message import EmailMessage

import pytest

from tests.fakes.tools import Bench

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'


def _zip(**parts: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name.replace("__", "/").replace("_xml", ".xml"), text)
    return buffer.getvalue()


def _docx() -> bytes:
    styles = f'<w:styles {W}><w:style w:styleId="1"><w:name w:val="heading 1"/></w:style></w:styles>'
    cell = "<w:tc><w:p><w:r><w:t>{}</w:t></w:r></w:p></w:tc>"
    row = "<w:tr>" + cell + cell + "</w:tr>"
    body = f"""<w:document {W}><w:body>
    <w:p><w:pPr><w:pStyle w:val="1"/></w:pPr><w:r><w:t>Отчёт</w:t></w:r></w:p>
    <w:p><w:r><w:t xml:space="preserve">Plain </w:t></w:r><w:r><w:t>text</w:t></w:r>
    <w:del><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>
    <w:p><w:pPr><w:numPr><w:ilvl w:val="1"/></w:numPr></w:pPr><w:r><w:t>item</w:t></w:r></w:p>
    <w:tbl>{row.format("a", "b|c")}{row.format("1", "2")}</w:tbl></w:body></w:document>"""
    return _zip(word__document_xml=body, word__styles_xml=styles)


def _pptx() -> bytes:
    slide = "<p:sld xmlns:p='p' {}><a:p><a:r><a:t>{}</a:t></a:r></a:p></p:sld>"
    return _zip(
        ppt__slides__slide1_xml=slide.format(A, "First"),
        ppt__slides__slide2_xml=slide.format(A, "Second"),
        ppt__slides__slide10_xml=slide.format(A, "Tenth"),
        ppt__notesSlides__notesSlide2_xml=slide.format(A, "say this"),
    )


def _xlsx() -> bytes:
    from openpyxl import Workbook

    book = Workbook()
    book.active.title = "Totals"
    book.active.append(["name", "sum"])
    book.active.append(["a|b", 3])
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def _pdf(*pages: str) -> bytes:
    """A minimal file with one line of text a page."""
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(pages):
        font = "/Resources << /Font << /F1 3 0 R >> >>"
        objects.append(f"<< /Type /Page /Parent 2 0 R {font} /MediaBox [0 0 300 300] /Contents {5 + 2 * number} 0 R >>")
        stream = f"BT /F1 12 Tf 20 200 Td ({text}) Tj ET"
        objects.append(f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream")
    out, offsets = b"%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        offsets.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n".encode()
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    tail = (
        f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer << /Size {size} /Root 1 0 R >>\nstartxref\n{len(out)}\n"
    )
    return out + tail.encode() + b"%%EOF"


def _eml() -> bytes:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "Анна <a@example.org>", "b@example.org", "Счёт за март"
    message.set_content("Добрый день!\n")
    message.add_alternative("<p>Добрый <b>день</b>!</p>", subtype="html")
    message.add_attachment(b"x", maintype="application", subtype="pdf", filename="счёт.pdf")
    return message.as_bytes()


HEAD = "<html><head><title>t</title><style>p{}</style></head>"
HTML = HEAD + "<body><h2>Head</h2><script>x()</script><p>A <a href='/b'>link</a></p></body>"
CASES = {
    "a.docx": (_docx, ["# Отчёт", "Plain text", "  - item", "| a | b\\|c |", "| --- | --- |"], ["gone"]),
    "a.pptx": (_pptx, ["## Slide 1", "First", "## Slide 3", "Tenth", "Notes:", "say this"], []),
    "a.xlsx": (_xlsx, ["## Sheet Totals", "| name | sum |", "| a\\|b | 3 |"], []),
    "a.pdf": (lambda: _pdf("Hello one", "Page two"), ["## Page 1", "Hello one", "## Page 2", "Page two"], []),
    "a.eml": (_eml, ["From: Анна <a@example.org>", "Subject: Счёт за март", "Добрый день!", "- счёт.pdf"], ["<p>"]),
    "a.html": (lambda: HTML.encode(), ["## Head", "A [link](/b)"], ["x()", "p{}"]),
}


@pytest.mark.parametrize("name", CASES)
async def test_read_as_markdown(bench: Bench, name: str) -> None:
    make, parts, absent = CASES[name]
    bench.write(name, make())
    outcome = await bench.run("read_file", path=name)
    assert outcome.ok, outcome.content
    assert outcome.taint == name
    assert [part for part in parts if part not in outcome.content] == []
    assert [part for part in absent if part in outcome.content] == []


@pytest.mark.parametrize("name", [name for name in CASES if name not in ("a.eml", "a.html")])
async def test_a_damaged_document_is_an_answer(bench: Bench, name: str) -> None:
    content = CASES[name][0]()
    bench.write(name, content[: len(content) // 3])
    outcome = await bench.run("read_file", path=name)
    assert outcome.failure == "invalid" or "no text" in outcome.content
    assert name in outcome.content


async def test_a_text_with_the_wrong_ending_is_a_text(bench: Bench) -> None:
    bench.write("notes.docx", "just words\n")
    outcome = await bench.run("read_file", path="notes.docx")
    assert outcome.content == "1\tjust words"


async def test_hidden_text_of_word_is_left_out(bench: Bench) -> None:
    run = "<w:r><w:rPr>{}</w:rPr><w:t>{} </w:t></w:r>"
    marks = {
        "<w:vanish/>": "evil",
        '<w:vanish w:val="0"/>': "seen",
        '<w:sz w:val="2"/>': "evil",
        '<w:sz w:val="24"/>': "too",
    }
    runs = "".join(run.format(mark, text) for mark, text in marks.items())
    bench.write("a.docx", _zip(word__document_xml=f"<w:document {W}><w:body><w:p>{runs}</w:p></w:body></w:document>"))
    assert (await bench.run("read_file", path="a.docx")).content.endswith("seen too")


@pytest.mark.parametrize("encoding", ["utf-8", "cp1251", "koi8-r"])
async def test_a_mail_that_names_no_encoding_is_read(bench: Bench, encoding: str) -> None:
    text = "From: Анна Петровна <a@example.org>\nSubject: Счёт за прошлый месяц\n\n"
    text += "Добрый день, высылаю вам счёт за март.\n"
    bench.write("a.eml", text.encode(encoding))
    told = (await bench.run("read_file", path="a.eml")).content
    assert [
        part
        for part in ("Анна Петровна", "Счёт за прошлый месяц", "Добрый день, высылаю вам счёт за март.")
        if part not in told
    ] == []


async def test_what_a_damaged_document_says_is_its_own_words(bench: Bench) -> None:
    evil = "<!DOCTYPE x><w:document xmlns:w='w'>&e;</w:document>"
    bench.write("a.docx", _zip(word__document_xml=evil))
    outcome = await bench.call("read_file", path="a.docx")
    assert "a.docx cannot be read" in outcome.content
    assert "gives no orders" in outcome.content
    assert bench.taint.sources == ("a.docx",)


async def test_a_zip_bomb_is_refused(bench: Bench) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(30):
            archive.writestr(f"word/{number}", b"\0" * 10_000_000)
    bench.write("bomb.docx", buffer.getvalue())
    outcome = await bench.run("read_file", path="bomb.docx")
    assert outcome.failure == "invalid"
    assert "too large" in outcome.content


async def test_entities_do_not_expand_or_read_files(bench: Bench) -> None:
    body = f"<w:document {W}><w:body><w:p><w:r><w:t>&e;</w:t></w:r></w:p></w:body></w:document>"
    evil = f"<!DOCTYPE x [<!ENTITY e SYSTEM 'file:///etc/passwd'>]>{body}"
    bench.write("a.docx", _zip(word__document_xml=evil))
    outcome = await bench.run("read_file", path="a.docx")
    assert "root:" not in outcome.content


async def test_a_document_that_never_ends_is_stopped(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("localagent.tools.files.SECONDS", 1.5)
    bench.write("a.eml", "To: " + "a," * 50_000 + "\n\nbody")
    outcome = await bench.run("read_file", path="a.eml")
    assert (outcome.failure, "was stopped" in outcome.content) == ("invalid", True)


async def test_a_document_that_breaks_its_reader_is_an_answer(bench: Bench) -> None:
    bench.write("a.html", "<div>" * 200_000)
    assert (await bench.run("read_file", path="a.html")).failure == "invalid"
    bench.write("b.html", "<ul>" + "<li>item" * 2000)  # as HTML may be written, and deeper than Python goes by itself
    assert "item" in (await bench.run("read_file", path="b.html")).content


async def test_forwarded_mail_and_mail_of_no_known_encoding(bench: Bench) -> None:
    inner, outer = EmailMessage(), EmailMessage()
    inner["Subject"], outer["Subject"] = "first", "second"
    inner.set_content("the words of the first")
    outer.set_content("see below")
    outer.add_attachment(inner)
    bench.write("a.eml", outer.as_bytes())
    assert "the words of the first" in (await bench.run("read_file", path="a.eml")).content
    bench.write("b.eml", b"Subject: x\nContent-Type: text/plain; charset=x-unknown\n\nhello \xd0\xb4\n")
    assert "hello д" in (await bench.run("read_file", path="b.eml")).content
