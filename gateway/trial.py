"""A trial of the whole way: a sample is masked, looked at once more and restored. `check` and `/readyz` do it."""

from __future__ import annotations

import secrets

from gateway.errors import GatewayError
from gateway.lastlook import last_look
from gateway.mask import Masked, Masker
from gateway.policy import Policy
from gateway.restore import restore

_SAMPLE = "Please write to {name}@example.org, card 4111 1111 1111 1111, or ask Иван Петров, +7 912 340-55-17."


def try_masking(masker: Masker, name: str = "") -> Masked:
    """Masks a sample; a name of its own keeps it out of every cache. GatewayError if anything is not as it must be."""
    sample = _SAMPLE.format(name=name or f"probe.{secrets.token_hex(4)}")
    open_policy = Policy(actions={}, default="mask")  # the configured one may block, which would be no failure
    vault = masker.new_vault()
    masked = Masker(masker.detector, open_policy).mask(sample, vault)
    last_look(masked.text.encode(), vault)
    if restore(masked.text, vault.map) != sample or not masked.entities:
        raise GatewayError("a sample was not masked and restored as it must be; the installation is damaged")
    return masked
