"""Checks the URL of a server, and finds the proxy that the environment names for it."""

import fnmatch
import ipaddress
import re
from typing import Final
from urllib.parse import urlsplit, urlunsplit
from urllib.request import getproxies

from endpoints.errors import EndpointError

__all__ = ["checked_url", "proxy_for", "without_password"]

_LOOK_BLANK: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # letters and symbols to Unicode, nothing to the eye


def checked_url(url: str) -> tuple[str, str]:
    """Split the URL of an API into the part before the query, without a slash at its end, and the query.

    Raises:
        EndpointError: it is no http or https URL with a host, or it holds a fragment, a blank, an invisible character
            or a password.
    """
    for character in url:
        if character.isspace() or not character.isprintable() or character in _LOOK_BLANK:
            raise EndpointError(
                f"{url!r} is not an http or https URL: it holds a blank or invisible U+{ord(character):04X}"
            )
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise EndpointError(f"{url!r} is not an http or https URL such as http://127.0.0.1:8001/v1")
    if parts.username or parts.password:
        raise EndpointError(f"the URL of {parts.hostname} holds a password: give the key by --api-key-env instead")
    if "#" in url:
        raise EndpointError(f"{url!r} is not an http or https URL of an API: it holds a fragment, #{parts.fragment}")
    return urlunsplit((parts.scheme, parts.netloc, parts.path, "", "")).rstrip("/"), parts.query


def without_password(url: str) -> str:
    """``url`` without the user name and the password in it."""
    parts = urlsplit(url if "://" in url else f"http://{url}")
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", "")).rstrip("/")


def proxy_for(url: str) -> str | None:
    """The proxy that the environment names for ``url``; None if it names none, or if the address is a loopback one.

    ``NO_PROXY`` may list domains with or without a leading dot or ``*.``, other wildcards, addresses, networks
    (``10.0.0.0/8``), IPv6 addresses with or without brackets, each with or without a port, and ``*``.
    """
    parts = urlsplit(url)
    host = (parts.hostname or "").rstrip(".")
    port = parts.port or (443 if parts.scheme == "https" else 80)
    proxies = getproxies()
    if _is_loopback(host) or _excepted(host, port, proxies.get("no", "")):
        return None
    return proxies.get(parts.scheme)


def _is_loopback(host: str) -> bool:
    address = _address(host)
    return address.is_loopback if address is not None else host == "localhost" or host.endswith(".localhost")


def _address(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None


def _excepted(host: str, port: int, listed: str) -> bool:
    return any(_matches(host, port, entry.casefold()) for entry in re.split(r"[\s,]+", listed) if entry)


def _matches(host: str, port: int, entry: str) -> bool:
    bracketed = re.fullmatch(r"\[([^\]]*)\](/[0-9]+)?(?::([0-9]+))?", entry)
    plain = re.fullmatch(r"([^:]*):([0-9]+)", entry)
    wanted_port = None
    if bracketed:
        entry, wanted_port = bracketed[1] + (bracketed[2] or ""), bracketed[3]
    elif plain:
        entry, wanted_port = plain[1], plain[2]
    if wanted_port is not None and int(wanted_port) != port:
        return False
    if entry == "*":
        return True
    address = _address(host)
    if address is not None:
        try:
            return address in ipaddress.ip_network(entry, strict=False)
        except ValueError:
            return "*" in entry and fnmatch.fnmatchcase(host, entry)
    domain = entry.removeprefix("*").strip(".")
    if "*" in domain:
        return fnmatch.fnmatchcase(host, domain)
    return bool(domain) and (host == domain or host.endswith("." + domain))
