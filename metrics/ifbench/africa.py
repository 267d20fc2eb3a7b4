"""The countries of Africa and the names they go by: the 54 member states of the United Nations, and Western Sahara."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

__all__ = ["AFRICAN_STATES", "COUNTRY_OF_NAME"]

# Country: its other common names. Written as lines are compared: lower case, no accents, words parted by one space;
# brackets, commas and hyphens do not matter.
_NAMES: Final = """
algeria
angola
benin
botswana
burkina faso
burundi
cabo verde: cape verde
cameroon
central african republic: car; central african rep
chad
comoros: the comoros; union of the comoros
democratic republic of the congo: congo democratic republic; congo democratic republic of the; congo kinshasa; dr congo;
  drc; democratic republic of congo; congo drc; congo dr; congo the democratic republic of the; congo dem rep;
  congo democratic republic of; democratic republic of the congo drc; congo democratic republic of the drc; zaire
djibouti
egypt
equatorial guinea
eritrea
eswatini: swaziland; eswatini swaziland; eswatini formerly swaziland; swaziland eswatini; kingdom of eswatini
ethiopia
gabon
gambia: the gambia; gambia the
ghana
guinea: guinea conakry
guinea bissau
ivory coast: cote d'ivoire; cote d ivoire; cote d'ivoire ivory coast; ivory coast cote d'ivoire; cote divoire
kenya
lesotho
liberia
libya
madagascar
malawi
mali
mauritania
mauritius
morocco
mozambique
namibia
niger
nigeria
republic of the congo: congo; congo republic; congo republic of the; congo brazzaville; republic of congo;
  the republic of the congo; congo the republic of the; congo rep; congo republic of; republic of the congo congo;
  republic of the congo brazzaville
rwanda
sao tome and principe: sao tome principe; sao tome
senegal
seychelles: the seychelles
sierra leone
somalia
south africa: republic of south africa
south sudan
sudan: the sudan
tanzania: united republic of tanzania; tanzania united republic of
togo
tunisia
uganda
western sahara: sahrawi arab democratic republic; sahrawi republic
zambia
zimbabwe
"""


def _read(names: str) -> dict[str, str]:
    """Name: country, for all names."""
    entries = (line.partition(":") for line in names.replace("\n  ", " ").strip().split("\n"))
    return {
        name.strip(): country.strip()
        for country, _, others in entries
        for name in (country, *others.split(";"))
        if name.strip()
    }


COUNTRY_OF_NAME: Final[Mapping[str, str]] = MappingProxyType(_read(_NAMES))
AFRICAN_STATES: Final = frozenset(COUNTRY_OF_NAME.values()) - {"western sahara"}
