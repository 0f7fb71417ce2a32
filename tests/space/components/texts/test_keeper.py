"""What a visitor is told of who keeps the Space and where its program is, under every setting, on About and on Request."""

import pytest

from shared.errors import BadInput
from space.exports.routes import plan_for_page
from space.form_settings import read_form_settings
from space.keeper import Keeper
from space.pages.about import PAGE
from space.pages.page import told
from space.pages.requests.closed import closed
from space.queries.view import View
from space.readers.mirror import Mirror

REPOSITORY = "https://git.example.org/team/seawall"
SET = Keeper(contact="https://chat.example.org/seawall", repository=REPOSITORY)


def read(**environment: str) -> Keeper:
    """Return what the settings say."""
    return read_form_settings(environment).keeper


def pages(keeper: Keeper, mirror: Mirror) -> list[str]:
    """Return About and Request as the Space of `keeper` shows them."""
    return [str(told(PAGE, keeper).show(View("about", {}), mirror)), str(closed("form.no_oauth", keeper))]


def test_where_both_are_set_both_are_links(works_mirror: Mirror) -> None:
    """And nothing is left to say to who keeps the Space."""
    for page in pages(SET, works_mirror):
        assert f'clone <a href="{REPOSITORY}" rel="noopener noreferrer">{REPOSITORY}</a>' in page
        assert 'Whom to ask: <a href="https://chat.example.org/seawall"' in page
        assert "not set yet" not in page


def test_where_nothing_is_set_each_page_says_what_can_be_done(works_mirror: Mirror) -> None:
    """A visitor reads a sentence, the settings' names stand apart, for who keeps the Space."""
    for page in pages(Keeper(), works_mirror):
        assert "This Space names no contact: ask whoever gave you its address." in page
        assert "this Space names no address to clone from; ask for one" in page
        assert page.index("not set yet") < page.index("SEAWALL_REPOSITORY") < page.index("SEAWALL_CONTACT")
    assert "runs from a checkout" in pages(Keeper(has_program=True), works_mirror)[1]


def test_on_the_hub_there_is_a_way_without_any_setting(works_mirror: Mirror) -> None:
    """The Space's own Community tab, else that of the catalog; a contact goes before both."""
    space = read(SPACE_ID="team/board", SEAWALL_SOURCE="hub:team/catalog")
    assert space.community == "https://huggingface.co/spaces/team/board/discussions"
    assert read(SEAWALL_SOURCE="hub:team/catalog").community == "https://huggingface.co/datasets/team/catalog/discussions"
    assert not read(SEAWALL_SOURCE="folder:results").community
    assert all(f'<a href="{space.community}"' in page for page in pages(space, works_mirror))
    assert "Community" not in str(closed("form.no_oauth", Keeper("Kim", community=space.community)))


def test_the_page_as_markdown_says_it_too(works_mirror: Mirror) -> None:
    """For who reads without a browser."""
    made = plan_for_page(told(PAGE, SET), b"format=md").make(works_mirror, None, "")  # type: ignore[arg-type]
    assert f"clone [{REPOSITORY}]({REPOSITORY})" in made.data.decode()  # type: ignore[union-attr]


@pytest.mark.parametrize(
    "address",
    ["http://git.example.org/x", "https://me:secret@git.example.org/x", "https://git.example.org/../x", "git.example.org/x",
     "https://git.example.org/x?token=1", "https://nohost", 'https://git.example.org/"onclick="x'],
)  # fmt: skip
def test_an_address_that_is_no_plain_one_stops_the_start(address: str) -> None:
    """And is named: no account, no query, no markup."""
    with pytest.raises(BadInput) as caught:
        read(SEAWALL_REPOSITORY=address)
    assert caught.value.field == "SEAWALL_REPOSITORY"
