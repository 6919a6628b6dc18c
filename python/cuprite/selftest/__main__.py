"""python -m cuprite.selftest"""
import sys

from cuprite.selftest import main

if __name__ == "__main__":
    sys.exit(main())
