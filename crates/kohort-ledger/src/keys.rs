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
//! 3. From the master key come one key to seal, one for the chain of hashes and one for the names of rows.
//!    The key that recognizes people is sealed beside it: it outlives the master key, because what it makes
//!    of a person's key is stored, and the person's key is not.
//! 4. What is sealed is padded first, so that its length tells nothing that the number of rows does not.
//!
//! # References
//! RFC 9106 (Argon2; the memory and the passes of its second recommended choice, 64 MiB and three, with
//! one lane in the place of four: the program derives a key on one thread, and fewer lanes do not make a
//! try cheaper); draft-irtf-cfrg-xchacha (24 random bytes as nonce never repeat); the BLAKE3 paper,
//! §§5.1-5.2; Nikitin, Barman, Lueks, Underwood, Hubaux and Ford 2019, "Reducing metadata leakage from
//! encrypted files and communication with PURBs" (the padding).

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
        if bytes.iter().all(|&byte| byte == 0) {
            let (found, expected) = ("nothing but zeros".to_owned(), "random bytes");
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
    rows: Zeroizing<[u8; 32]>,
    people: Zeroizing<[u8; 32]>,
}

impl Keys {
    /// The keys of a ledger that is being created.
    pub(crate) fn create() -> Result<Self, Error> {
        Ok(Self::new(Zeroizing::new(random()?), Zeroizing::new(random()?)))
    }

    /// Keys that have nothing in common with these but that they recognize the same people.
    pub(crate) fn renewed(&self) -> Result<Self, Error> {
        Ok(Self::new(Zeroizing::new(random()?), self.people.clone()))
    }

    /// A name of the ledger that stays the same as long as it recognizes the same people.
    pub(crate) fn id(&self) -> [u8; 16] {
        let id = blake3::derive_key("kohort ledger 3: id", &self.people[..]);
        *id.first_chunk().expect("a hash has 32 bytes")
    }

    /// A lock around these keys that a secret opens.
    pub(crate) fn lock(&self, secret: &Secret) -> Result<Vec<u8>, Error> {
        let (salt, hardness) = (random::<16>()?, secret.hardness);
        let cipher = XChaCha20Poly1305::new_from_slice(&derive(secret, &salt, hardness)[..])
            .expect("a key has 32 bytes");
        let keys = Zeroizing::new([&self.master[..], &self.people[..]].concat());
        let master = seal(&cipher, &Place::Key, &keys)?;
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
        let keys = unseal(&cipher, &Place::Key, &lock.master).map(Zeroizing::new);
        let keys = keys.ok_or(Kind::WrongKey)?;
        let (master, people) = keys.split_first_chunk().ok_or(Kind::WrongKey)?;
        let master = Zeroizing::new(*master);
        // Before version 3 the key that recognizes people came from the master key.
        let people = match people.first_chunk() {
            Some(people) => Zeroizing::new(*people),
            None => Zeroizing::new(blake3::derive_key("kohort ledger 1: people", &master[..])),
        };
        Ok(Self::new(master, people))
    }

    fn new(master: Zeroizing<[u8; 32]>, people: Zeroizing<[u8; 32]>) -> Self {
        let part = |context| Zeroizing::new(blake3::derive_key(context, &master[..]));
        Self {
            cipher: XChaCha20Poly1305::new_from_slice(&part("kohort ledger 1: seal")[..])
                .expect("a key has 32 bytes"),
            chain: part("kohort ledger 1: chain"),
            rows: part("kohort ledger 3: rows"),
            people,
            master,
        }
    }

    /// Seals a value in its place.
    pub(crate) fn seal<T: Serialize>(
        &self,
        place: &Place<'_>,
        value: &T,
    ) -> Result<Vec<u8>, Error> {
        seal(&self.cipher, place, &padded(encode(value), place.least_bytes()))
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

    /// What a person's key becomes. It is stored, sealed, in the place of the key.
    pub(crate) fn tag(&self, series: u32, person: &str) -> [u8; 16] {
        let mut hasher = blake3::Hasher::new_keyed(&self.people);
        hasher.update(&series.to_le_bytes()).update(person.as_bytes());
        truncated(&hasher)
    }

    /// What the text of a value becomes that was never published.
    pub(crate) fn value_tag(&self, series: u32, text: &str) -> [u8; 16] {
        let mut hasher = blake3::Hasher::new_keyed(&self.people);
        hasher.update(b"value").update(&series.to_le_bytes()).update(text.as_bytes());
        truncated(&hasher)
    }

    /// The secret from which a release of a series is drawn, for one purpose. The key that it comes from is
    /// made with the ledger, and no replacement of secrets changes it.
    pub(crate) fn draws(&self, series: &str, release: u32, purpose: &str) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key("kohort ledger 3: draws of a release");
        hasher.update(&self.people[..]).update(&release.to_le_bytes());
        hasher.update(&(purpose.len() as u64).to_le_bytes()).update(purpose.as_bytes());
        *hasher.update(series.as_bytes()).finalize().as_bytes()
    }

    /// The name of the row that a person has in a table since a release: nobody without the key can tell
    /// that two names are of one person.
    pub(crate) fn row_name(&self, table: RowOf, series: u32, release: u32, person: u32) -> RowName {
        let mut hasher = blake3::Hasher::new_keyed(&self.rows);
        hasher.update(&[table as u8]);
        for number in [series, release, person] {
            hasher.update(&number.to_le_bytes());
        }
        truncated(&hasher)
    }

    /// What bound a person's number to the tag and to the release of first appearance in version 2.
    pub(crate) fn binding(&self, series: u32, person: u32, tag: &[u8], salt: &[u8]) -> [u8; 16] {
        let mut hasher = blake3::Hasher::new_keyed(&self.chain);
        hasher.update(&Place::NumberedPerson { series, person }.bytes()).update(tag).update(salt);
        truncated(&hasher)
    }
}

/// The name of a row about a person.
pub(crate) type RowName = [u8; 16];

/// The tables that have rows about people.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RowOf {
    Person,
    Member,
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
        name: RowName,
    },
    Entry {
        series: u32,
        release: u32,
    },
    Member {
        series: u32,
        release: u32,
        name: RowName,
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
    /// A person in version 2.
    NumberedPerson {
        series: u32,
        person: u32,
    },
    /// A person in a release of version 2.
    NumberedMember {
        series: u32,
        release: u32,
        person: u32,
    },
}

impl Place<'_> {
    /// To how many bytes what is sealed here is padded at least: rows of people all have this length.
    fn least_bytes(&self) -> usize {
        match self {
            Self::Person { .. } | Self::Member { .. } | Self::Class { .. } => 64,
            _ => 256,
        }
    }

    /// Different for different places.
    fn bytes(&self) -> Vec<u8> {
        let (kind, numbers, name): (u8, [u64; 3], &[u8]) = match self {
            &Self::Key => (0, [0; 3], b""),
            &Self::Head => (1, [0; 3], b""),
            &Self::Log { record } => (2, [record, 0, 0], b""),
            &Self::Pending { record } => (3, [record, 0, 0], b""),
            &Self::Series { series } => (4, [series.into(), 0, 0], b""),
            &Self::NumberedPerson { series, person } => (5, [series.into(), person.into(), 0], b""),
            &Self::Entry { series, release } => (6, [series.into(), release.into(), 0], b""),
            &Self::NumberedMember { series, release, person } => {
                (7, [series.into(), release.into(), person.into()], b"")
            }
            &Self::Class { series, release, class } => {
                (8, [series.into(), release.into(), class.into()], b"")
            }
            Self::State { series, release, name } => {
                (9, [(*series).into(), (*release).into(), 0], name.as_bytes())
            }
            Self::Person { series, name } => (10, [(*series).into(), 0, 0], name),
            Self::Member { series, release, name } => {
                (11, [(*series).into(), (*release).into(), 0], name)
            }
        };
        let mut bytes = vec![kind];
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        bytes.extend(name);
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
            Self::Person { .. } => f.write_str("the row of a person"),
            Self::NumberedPerson { person, .. } => write!(f, "person {person}"),
            Self::Entry { release, .. } => write!(f, "the entry of release {release}"),
            Self::Member { release, .. } => write!(f, "a person in release {release}"),
            Self::NumberedMember { release, person, .. } => {
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

/// What was encoded, whatever it was padded with: nothing but zeros.
fn decode<T: for<'a> Deserialize<'a>>(bytes: &[u8]) -> Option<T> {
    let (value, rest) = postcard::take_from_bytes(bytes).ok()?;
    rest.iter().all(|&byte| byte == 0).then_some(value)
}

/// Zeros behind what is sealed, so that its length tells little: at least so many bytes, and beyond that the
/// lengths of the PURBs paper (algorithm 1, Padmé), at most 12 % more than there is.
fn padded(mut bytes: Vec<u8>, least: usize) -> Vec<u8> {
    let length = bytes.len().max(least).max(2);
    let n_bits = length.ilog2();
    let n_zero = n_bits - (n_bits.ilog2() + 1);
    bytes.resize(length.next_multiple_of(1 << n_zero), 0);
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_are_padded_as_the_paper_has_it() {
        let length = |n: usize| padded(vec![1; n], 0).len();
        // Worked out by hand: E = floor(log2 L), S = floor(log2 E) + 1, the last E - S bits are zero.
        assert_eq!(
            [length(9), length(64), length(65), length(100), length(1000)],
            [10, 64, 72, 104, 1024]
        );
        assert_eq!(padded(vec![1; 3], 64).len(), 64);
        for n in 2..5000 {
            assert!(length(n) >= n && length(n) * 100 <= n * 112 + 99, "{n}: {}", length(n));
        }
    }

    #[test]
    fn renewed_keys_recognize_the_same_people_and_share_nothing_else() {
        let keys = Keys::create().unwrap();
        let renewed = keys.renewed().unwrap();
        assert_eq!(keys.tag(1, "ann"), renewed.tag(1, "ann"));
        assert_eq!(keys.id(), renewed.id());
        let name = |keys: &Keys| keys.row_name(RowOf::Member, 1, 1, 0);
        assert_ne!(name(&keys), name(&renewed));
        let sealed = keys.seal(&Place::Head, &7_u32).unwrap();
        assert!(renewed.unseal::<u32>(&Place::Head, &sealed).is_err());
    }
}
