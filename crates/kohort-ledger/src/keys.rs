//! The secret of a ledger, the keys made from it, and the seal that binds each blob to its place.
//!
//! # Promise
//! Whoever has the file without the secret reads nothing of what is sealed, and can neither change a
//! sealed blob nor move it to another place: the place is part of what the seal covers. Trying secrets
//! costs the memory and the time of Argon2id each.
//!
//! # Method
//! 1. Argon2id makes a key from the secret, with a salt and parameters that stand in the file.
//! 2. That key opens the master key of the file, which is random and stays what it is when the secret is
//!    replaced by another.
//! 3. From the master key come one key to seal, one for the chain of hashes and one to find people.
//!
//! # References
//! RFC 9106 (Argon2, the second recommended choice of parameters: 64 MiB, three passes);
//! draft-irtf-cfrg-xchacha (24 random bytes as nonce never repeat); the BLAKE3 paper, §§5.1-5.2.

use std::fmt;

use argon2::{Algorithm, Argon2, Params, Version};
use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::{Error, Hash, Kind};

const NONCE_BYTES: usize = 24;

/// What opens a ledger.
pub struct Secret {
    bytes: Zeroizing<Vec<u8>>,
    hardness: Hardness,
}

impl Secret {
    /// A passphrase that a person remembers: at least eight characters.
    pub fn passphrase(text: &str) -> Result<Self, Error> {
        let found = text.chars().count();
        if found < 8 {
            let expected = "at least 8 characters";
            return Err(
                Kind::Secret { name: "passphrase", found: found.to_string(), expected }.into()
            );
        }
        Ok(Self::of(b"passphrase\0", text.as_bytes()))
    }

    /// The bytes of a key file: at least 32.
    pub fn key_file(bytes: &[u8]) -> Result<Self, Error> {
        if bytes.len() < 32 {
            let (found, expected) = (bytes.len().to_string(), "at least 32 bytes");
            return Err(Kind::Secret { name: "key-file", found, expected }.into());
        }
        Ok(Self::of(b"key file\0", bytes))
    }

    /// A passphrase is never taken for a key file of the same bytes.
    fn of(kind: &[u8], secret: &[u8]) -> Self {
        let bytes = Zeroizing::new([kind, secret].concat());
        Self { bytes, hardness: Hardness::default() }
    }

    /// How hard it is to try secrets on a ledger that is created with this one.
    #[must_use]
    pub fn with_hardness(self, hardness: Hardness) -> Self {
        Self { hardness, ..self }
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// What one try of a secret costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hardness {
    memory_kib: u32,
    passes: u32,
}

impl Hardness {
    /// For tests alone: a try costs microseconds.
    pub const LIGHT: Self = Self { memory_kib: 8, passes: 1 };

    /// An altered file must not make us fill the memory.
    fn is_reasonable(self) -> bool {
        (8..=1 << 20).contains(&self.memory_kib) && (1..=16).contains(&self.passes)
    }
}

impl Default for Hardness {
    fn default() -> Self {
        Self { memory_kib: 64 * 1024, passes: 3 }
    }
}

/// What stands unsealed in the file: how to make the key that opens the master key.
#[derive(Serialize, Deserialize)]
struct Lock {
    salt: [u8; 16],
    hardness: Hardness,
    master: Vec<u8>,
    // Without a key: it tells damage from a wrong secret.
    checksum: Hash,
}

impl Lock {
    fn checksum(&self) -> Hash {
        let hardness = [self.hardness.memory_kib.to_le_bytes(), self.hardness.passes.to_le_bytes()];
        Hash::of(&[&self.salt[..], hardness.as_flattened(), &self.master].concat())
    }
}

/// The keys of an open ledger.
pub(crate) struct Keys {
    master: Zeroizing<[u8; 32]>,
    cipher: XChaCha20Poly1305,
    chain: Zeroizing<[u8; 32]>,
    people: Zeroizing<[u8; 32]>,
}

impl Keys {
    /// The keys of a ledger that is being created.
    pub(crate) fn create() -> Result<Self, Error> {
        Ok(Self::from_master(Zeroizing::new(random()?)))
    }

    /// A lock around these keys that a secret opens.
    pub(crate) fn lock(&self, secret: &Secret) -> Result<Vec<u8>, Error> {
        let (salt, hardness) = (random::<16>()?, secret.hardness);
        let cipher = XChaCha20Poly1305::new_from_slice(&derive(secret, &salt, hardness)[..])
            .expect("a key has 32 bytes");
        let master = seal(&cipher, &Place::Key, &self.master[..])?;
        let mut lock = Lock { salt, hardness, master, checksum: Hash::default() };
        lock.checksum = lock.checksum();
        Ok(encode(&lock))
    }

    /// The keys behind a lock.
    pub(crate) fn unlock(secret: &Secret, lock: &[u8]) -> Result<Self, Error> {
        let lock: Lock = decode(lock).ok_or_else(|| Kind::altered("the lock"))?;
        if lock.checksum != lock.checksum() || !lock.hardness.is_reasonable() {
            return Err(Kind::altered("the lock").into());
        }
        let cipher =
            XChaCha20Poly1305::new_from_slice(&derive(secret, &lock.salt, lock.hardness)[..])
                .expect("a key has 32 bytes");
        let master = unseal(&cipher, &Place::Key, &lock.master).map(Zeroizing::new);
        let master = master.as_deref().and_then(|bytes| bytes.first_chunk());
        Ok(Self::from_master(Zeroizing::new(*master.ok_or(Kind::WrongKey)?)))
    }

    fn from_master(master: Zeroizing<[u8; 32]>) -> Self {
        let part = |context| Zeroizing::new(blake3::derive_key(context, &master[..]));
        Self {
            cipher: XChaCha20Poly1305::new_from_slice(&part("kohort ledger 1: seal")[..])
                .expect("a key has 32 bytes"),
            chain: part("kohort ledger 1: chain"),
            people: part("kohort ledger 1: people"),
            master,
        }
    }

    /// Seals a value in its place.
    pub(crate) fn seal<T: Serialize>(
        &self,
        place: &Place<'_>,
        value: &T,
    ) -> Result<Vec<u8>, Error> {
        seal(&self.cipher, place, &encode(value))
    }

    /// What was sealed in this place.
    pub(crate) fn unseal<T: for<'a> Deserialize<'a>>(
        &self,
        place: &Place<'_>,
        sealed: &[u8],
    ) -> Result<T, Error> {
        let value = unseal(&self.cipher, place, sealed).and_then(|bytes| decode(&bytes));
        value.ok_or_else(|| Kind::altered(place.to_string()).into())
    }

    /// What commits to a sealed blob in its place. The nonce in the blob is what makes it tell nothing
    /// once the blob is gone.
    pub(crate) fn commitment(&self, place: &Place<'_>, sealed: &[u8]) -> Hash {
        let mut hasher = blake3::Hasher::new_keyed(&self.chain);
        hasher.update(&place.bytes()).update(sealed);
        Hash(*hasher.finalize().as_bytes())
    }

    /// What commits to hashes in this order.
    pub(crate) fn root<'a>(&self, hashes: impl IntoIterator<Item = &'a Hash>) -> Hash {
        let mut hasher = blake3::Hasher::new_keyed(&self.chain);
        hasher.update(b"root");
        for hash in hashes {
            hasher.update(&hash.0);
        }
        Hash(*hasher.finalize().as_bytes())
    }

    /// What a person is found by: it tells nothing without the key.
    pub(crate) fn tag(&self, series: u32, person: &str) -> [u8; 16] {
        let mut hasher = blake3::Hasher::new_keyed(&self.people);
        hasher.update(&series.to_le_bytes()).update(person.as_bytes());
        truncated(&hasher)
    }

    /// What binds a person's number to the tag and to the release of first appearance.
    pub(crate) fn binding(&self, series: u32, person: u32, tag: &[u8], salt: &[u8]) -> [u8; 16] {
        let mut hasher = blake3::Hasher::new_keyed(&self.chain);
        hasher.update(&Place::Person { series, person }.bytes()).update(tag).update(salt);
        truncated(&hasher)
    }
}

fn truncated(hasher: &blake3::Hasher) -> [u8; 16] {
    *hasher.finalize().as_bytes().first_chunk().expect("a hash has 32 bytes")
}

/// Where a sealed blob belongs.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'a> {
    Key,
    Head,
    Log {
        record: u64,
    },
    /// Valid as long as the log has so many records.
    Pending {
        record: u64,
    },
    Series {
        series: u32,
    },
    Person {
        series: u32,
        person: u32,
    },
    Entry {
        series: u32,
        release: u32,
    },
    Member {
        series: u32,
        release: u32,
        person: u32,
    },
    Class {
        series: u32,
        release: u32,
        class: u32,
    },
    State {
        series: u32,
        release: u32,
        name: &'a str,
    },
}

impl Place<'_> {
    /// Different for different places.
    fn bytes(&self) -> Vec<u8> {
        let (kind, numbers, name): (u8, [u64; 3], &str) = match *self {
            Self::Key => (0, [0; 3], ""),
            Self::Head => (1, [0; 3], ""),
            Self::Log { record } => (2, [record, 0, 0], ""),
            Self::Pending { record } => (3, [record, 0, 0], ""),
            Self::Series { series } => (4, [series.into(), 0, 0], ""),
            Self::Person { series, person } => (5, [series.into(), person.into(), 0], ""),
            Self::Entry { series, release } => (6, [series.into(), release.into(), 0], ""),
            Self::Member { series, release, person } => {
                (7, [series.into(), release.into(), person.into()], "")
            }
            Self::Class { series, release, class } => {
                (8, [series.into(), release.into(), class.into()], "")
            }
            Self::State { series, release, name } => (9, [series.into(), release.into(), 0], name),
        };
        let mut bytes = vec![kind];
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend(name.as_bytes());
        bytes
    }
}

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key => f.write_str("the lock"),
            Self::Head => f.write_str("the head"),
            Self::Log { record } => write!(f, "record {record} of the log"),
            Self::Pending { .. } => f.write_str("the release that was interrupted"),
            Self::Series { .. } => f.write_str("the name of a series"),
            Self::Person { person, .. } => write!(f, "person {person}"),
            Self::Entry { release, .. } => write!(f, "the entry of release {release}"),
            Self::Member { release, person, .. } => {
                write!(f, "person {person} in release {release}")
            }
            Self::Class { release, class, .. } => write!(f, "class {class} of release {release}"),
            Self::State { release, name, .. } => {
                write!(f, "the state `{name}` of release {release}")
            }
        }
    }
}

/// Random bytes of the system.
pub(crate) fn random<const N: usize>() -> Result<[u8; N], Error> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|source| Kind::Random { source })?;
    Ok(bytes)
}

fn derive(secret: &Secret, salt: &[u8], hardness: Hardness) -> Zeroizing<[u8; 32]> {
    let params = Params::new(hardness.memory_kib, hardness.passes, 1, Some(32))
        .expect("the parameters are reasonable");
    let mut key = Zeroizing::new([0; 32]);
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into(&secret.bytes, salt, &mut key[..])
        .expect("the salt and the key have lengths that Argon2 takes");
    key
}

fn seal(cipher: &XChaCha20Poly1305, place: &Place<'_>, bytes: &[u8]) -> Result<Vec<u8>, Error> {
    let nonce: [u8; NONCE_BYTES] = random()?;
    let sealed = cipher
        .encrypt(&XNonce::from(nonce), Payload { msg: bytes, aad: &place.bytes() })
        .expect("a blob is shorter than the cipher takes");
    Ok([&nonce[..], &sealed].concat())
}

fn unseal(cipher: &XChaCha20Poly1305, place: &Place<'_>, sealed: &[u8]) -> Option<Vec<u8>> {
    let (nonce, sealed) = sealed.split_first_chunk::<NONCE_BYTES>()?;
    let payload = Payload { msg: sealed, aad: &place.bytes() };
    cipher.decrypt(&XNonce::from(*nonce), payload).ok()
}

fn encode<T: Serialize>(value: &T) -> Vec<u8> {
    postcard::to_stdvec(value).expect("every type of a ledger has an encoding")
}

fn decode<T: for<'a> Deserialize<'a>>(bytes: &[u8]) -> Option<T> {
    postcard::take_from_bytes(bytes).ok().and_then(|(value, rest)| rest.is_empty().then_some(value))
}
