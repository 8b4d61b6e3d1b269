# SPDX-License-Identifier: BSD-3-Clause
"""Makes the helper beside the tests importable, however pytest was started."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
